// The stage shows panels, moves their parts as Python's tracks say, and reports what the hand did.
// It knows no subject: every number in it is a point of a straight line or an entry of a table that Python sent.

const stages = new WeakMap();

export default function (component) {
  const { parentElement, data, key, setStateValue } = component;
  if (!stages.has(parentElement)) stages.set(parentElement, new Stage(parentElement, key));
  const stage = stages.get(parentElement);
  stage.report = (state) => setStateValue("moved", state);
  stage.receive(data[0]);
  // Streamlit also calls what an overtaken call returned: only the newest one ends the stage.
  const call = (stage.call = {});
  return () => stage.call === call && stages.delete(parentElement) && stage.leave();
}

const element = (tag, attributes = {}, ...children) => {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
};

// ---------------------------------------------------------------- tables, values, texts

const ARRAYS = { f4: Float32Array, i2: Int16Array, i4: Int32Array };

function decodeTable(table) {
  if (table.kind === "text") return { ...table, entries: table.data };
  const bytes = Uint8Array.from(atob(table.data), (letter) => letter.charCodeAt(0));
  return { ...table, entries: new ARRAYS[table.kind](bytes.buffer) };
}

function lookUp(table, key) {
  const { entries, first, repeats, unit } = table;
  const length = entries.length;
  let index = Math.round(key) - first;
  index = repeats ? ((index % length) + length) % length : Math.min(Math.max(index, 0), length - 1);
  return table.kind === "text" ? entries[index] : entries[index] * unit;
}

const wrap = (number, modulus) => ((number % modulus) + modulus) % modulus;

class Numbers {
  constructor(locale) {
    this.locale = locale;
    this.formats = new Map();
  }

  write(number, decimals, modulus) {
    if (!Number.isFinite(number)) return "…"; // not known before Python has answered
    let rounded = Number(number.toFixed(decimals));
    if (modulus && rounded >= modulus) rounded -= modulus;
    if (!this.formats.has(decimals)) {
      const digits = { minimumFractionDigits: decimals, maximumFractionDigits: decimals };
      this.formats.set(decimals, new Intl.NumberFormat(this.locale, digits));
    }
    return this.formats.get(decimals).format(rounded === 0 ? 0 : rounded).replace("-", "−");
  }
}

// ---------------------------------------------------------------- the stage

const ASK_EVERY = 100; // milliseconds between two questions to Python while something moves
const GIVE_UP = 2000; // an answer that takes longer no longer holds back the next question

class Stage {
  constructor(host, key) {
    this.key = key;
    this.root = element("div", { class: "stage" });
    this.panelBox = element("div", { class: "stage-panels" });
    this.choiceBox = element("div", { class: "stage-choice-box" });
    this.handBox = element("div", { class: "stage-controls stage-at-hand" });
    this.controlBox = element("div", { class: "stage-controls" });
    this.live = element("div", { class: "stage-unseen", "aria-live": "polite" });
    this.root.append(this.choiceBox, this.panelBox, this.handBox, this.controlBox, this.live);
    host.querySelector(".stage-host").append(this.root);
    this.panelBox.onclick = (event) => this.pick(event.target.closest("[data-pick]"));
    this.values = {};
    this.panels = new Map();
    this.controls = new Map();
    this.serial = 0;
    this.answered = 0;
    this.plots = new Plots(this);
    this.chimes = new Chimes(this);
    this.still = matchMedia("(prefers-reduced-motion: reduce)");
    this.resized = new ResizeObserver(() => {
      this.fit();
      this.plots.fit();
    });
    this.resized.observe(this.root);
  }

  // The page shows something else now: nothing goes on, nothing is reported any more.
  leave() {
    this.pause(false);
    clearTimeout(this.later);
    this.resized.disconnect();
    this.plots.leave();
    this.chimes.audio?.close();
    this.root.remove();
  }

  // What Python sent. While the hand is ahead of Python its values stay; tracks and figures are always the newest.
  receive(data) {
    if (this.data && data.serial < this.answered) return;
    const typed = this.typed(data);
    if (typed.has(this.playing)) {
      this.pause(false);
      this.unsent = false;
    }
    this.data = data;
    this.answered = data.serial;
    this.serial = Math.max(this.serial, data.serial); // a stage built anew goes on counting where the last one was
    this.numbers = new Numbers(data.locale);
    this.tables = Object.fromEntries(Object.entries(data.tables).map(([name, table]) => [name, decodeTable(table)]));
    const ahead = this.held || this.playing || this.unsent || data.serial < this.serial;
    for (const control of data.controls) {
      const ours = control.name in this.values && (ahead || control.default === null);
      if (!ours || typed.has(control.name)) this.values[control.name] = control.value;
    }
    this.buildPanels();
    this.buildControls();
    this.connectTracks();
    this.connectDrags();
    this.chimes.receive(data.chimes);
    this.draw(null);
    this.fit();
    this.plots.receive();
    if (!ahead) {
      this.writeLink(); // Python may have mended a value, such as a pair beyond a smaller width
      this.speak();
      this.plots.fillTables();
    }
    this.root.dataset.stageReady = String(data.serial);
    this.root.dataset.stageTold = String(this.serial);
    if (data.autoplay && !this.started && !this.still.matches) this.play(data.autoplay);
    this.started = true;
    this.ask();
  }

  // The controls that Python moved by itself, since the visitor typed a number: nothing was reported in between.
  typed(data) {
    const before = this.data?.serial === data.serial ? this.data.controls : data.controls;
    const values = Object.fromEntries(before.map((control) => [control.name, control.value]));
    return new Set(data.controls.filter((c) => c.value !== (values[c.name] ?? c.value)).map((c) => c.name));
  }

  // -------------------------------------------------------------- panels

  buildPanels() {
    const wanted = new Set(this.data.panels.map((panel) => panel.name));
    for (const [name, panel] of this.panels) {
      if (!wanted.has(name)) {
        panel.box.remove();
        this.panels.delete(name);
      }
    }
    for (const panel of this.data.panels) this.buildPanel(panel);
  }

  buildPanel({ name, kind, markup, description, wide }) {
    if (!this.panels.has(name)) {
      const canvas = element("div", { class: `stage-${kind}`, role: kind === "formula" ? "group" : "img" });
      const words = element("p", { class: "stage-unseen", id: `${this.key}-${name}`, "data-part": `${name}-description` });
      canvas.setAttribute("aria-labelledby", words.id);
      const box = element("section", { class: "stage-panel", "data-panel": name }, canvas, words);
      const summary = kind === "plot" && element("summary");
      if (summary) box.append(this.plots.buildTable(name, summary));
      this.panelBox.append(box);
      this.panels.set(name, { box, canvas, words, summary });
    }
    const panel = this.panels.get(name);
    if (panel.summary) panel.summary.textContent = this.data.words.table;
    panel.box.classList.toggle("stage-wide", Boolean(wide));
    if (typeof description === "string" && panel.description !== description) panel.words.textContent = description;
    panel.description = description;
    if (kind !== "plot" && panel.markup !== markup) {
      panel.canvas.innerHTML = markup;
      this.connectMarks(panel.canvas);
    }
    panel.markup = markup;
  }

  // A symbol of a formula lights up its part of the picture while it is pointed at or focused.
  connectMarks(canvas) {
    for (const symbol of canvas.querySelectorAll("[data-marks]")) {
      const mark = (on) => this.parts(symbol.dataset.marks).forEach((part) => part.classList.toggle("stage-marked", on));
      symbol.tabIndex = 0;
      symbol.onpointerenter = symbol.onfocus = () => mark(true);
      symbol.onpointerleave = symbol.onblur = () => mark(false);
    }
  }

  parts(name) {
    return [...this.root.querySelectorAll(`[data-part="${CSS.escape(name)}"]`)];
  }

  // All elements with `data-part` (or another) by its value, found in one walk.
  named(kind) {
    const found = new Map();
    for (const element of this.root.querySelectorAll(`[data-${kind}]`)) {
      const name = element.dataset[kind];
      found.set(name, [...(found.get(name) ?? []), element]);
    }
    return found;
  }

  // Text in a drawing keeps its size on the screen, however much the drawing is scaled. All is read before anything is
  // written, and only what changed, since each write has a whole drawing laid out anew.
  fit() {
    const panels = [...this.panels.values()].map((panel) => ({ panel, svg: panel.canvas.querySelector(":scope > svg") }));
    const read = panels.filter(({ svg }) => svg?.clientWidth).map(({ panel, svg }) => {
      const { width, height } = svg.viewBox.baseVal;
      return { panel, unit: Math.max(width / svg.clientWidth, height / svg.clientHeight) };
    });
    for (const { panel, unit } of read.filter((one) => one.unit !== one.panel.unit)) {
      panel.canvas.style.setProperty("--unit", unit);
      panel.unit = unit;
    }
  }

  // -------------------------------------------------------------- tracks

  connectTracks() {
    const parts = this.named("part");
    this.tracks = this.data.tracks.map((track) => {
      const variables = new Set(track.values.flatMap((value) => value.terms.map((term) => term.variable)));
      return { ...track, parts: parts.get(track.part) ?? [], variables };
    });
  }

  variable(name) {
    const difference = this.data.differences[name];
    return difference ? this.values[difference[0]] - this.values[difference[1]] : this.values[name];
  }

  evaluate(value) {
    let total = value.start;
    for (const term of value.terms) {
      const at = this.variable(term.variable);
      if (term.table === undefined) {
        total += term.rate * at;
        continue;
      }
      const table = this.tables[term.table];
      const entry = lookUp(table, at + term.offset);
      if (table.kind === "text") return entry;
      total += term.scale * entry;
    }
    return value.modulus ? wrap(total, value.modulus) : total;
  }

  text(value) {
    const result = this.evaluate(value);
    if (typeof result === "string" || value.decimals === null) return String(result);
    return this.numbers.write(result, value.decimals, value.modulus);
  }

  // Draws every track that follows one of `changed` (null: all).
  draw(changed) {
    for (const track of this.tracks) {
      if (changed && ![...track.variables].some((name) => changed.has(name))) continue;
      if (track.plot) {
        this.plots.set(track, this.evaluate(track.values[0]));
        continue;
      }
      let text = track.template[0];
      track.values.forEach((value, index) => (text += this.text(value) + track.template[index + 1]));
      for (const part of track.parts) {
        if (track.attribute === "text") part.textContent = text;
        else if (!text.includes("NaN")) part.setAttribute(track.attribute, text);
      }
    }
    this.showControls();
    this.plots.move();
  }

  // Screen readers hear what changed once the hand rests, not at every step.
  speak() {
    const said = [...this.panels.values()].map(({ words }) => words.textContent).join(" ");
    if (this.started && said !== this.said) this.live.textContent = said;
    this.said = said;
  }

  // -------------------------------------------------------------- controls

  control(name) {
    return this.data.controls.find((control) => control.name === name);
  }

  buildControls() {
    const names = this.data.controls.map((control) => control.name).join(" ");
    if (names !== this.controlNames) {
      const made = (test, build) => this.data.controls.filter(test).map(build);
      const build = (control) => this.buildControl(control);
      this.choiceBox.replaceChildren(...made((c) => c.choices, (control) => this.buildChoices(control)));
      this.handBox.replaceChildren(...made((c) => !c.choices && c.role !== "plain", build));
      this.controlBox.replaceChildren(...made((c) => !c.choices && c.role === "plain", build));
      this.controlNames = names;
    }
    for (const control of this.data.controls) this.updateControl(control);
  }

  buildControl({ name }) {
    const id = `${this.key}-control-${name}`;
    const range = element("input", { type: "range", id });
    const output = element("output", { for: id, "aria-live": "off" });
    const label = element("label", { for: id });
    const box = element("div", { class: "stage-control", "data-control": name });
    const back = element("button", { type: "button", class: "stage-leap" }, "«");
    const forth = element("button", { type: "button", class: "stage-leap" }, "»");
    const play = element("button", { type: "button", class: "stage-play" });
    box.append(element("div", { class: "stage-label" }, label, output), element("div", { class: "stage-slide" }, play, back, range, forth));
    range.oninput = () => this.slide(name, Number(range.value));
    range.onchange = range.onpointerup = () => this.settle(); // back where it began, a slider does not tell of a change
    range.onkeydown = (event) => this.leapByKey(event, name);
    back.onclick = () => this.leap(name, -1);
    forth.onclick = () => this.leap(name, 1);
    play.onclick = () => (this.playing === name ? this.pause() : this.play(name));
    this.controls.set(name, { box, range, output, label, back, forth, play });
    return box;
  }

  // A choice among names: a row of radio buttons, their value the number of the name.
  buildChoices({ name, choices }) {
    const label = element("legend");
    const inputs = choices.map((_, value) => element("input", { type: "radio", name: `${this.key}-control-${name}`, value }));
    const names = choices.map(() => element("span"));
    const box = element("fieldset", { class: "stage-choices", "data-control": name }, label);
    inputs.forEach((input, value) => {
      input.onchange = () => {
        this.set(name, value);
        this.settle();
      };
      box.append(element("label", {}, input, names[value]));
    });
    this.controls.set(name, { box, label, inputs, names });
    return box;
  }

  updateControl(control) {
    const made = this.controls.get(control.name);
    const words = this.data.words;
    if (control.choices) {
      made.label.textContent = control.label;
      control.choices.forEach((choice, value) => (made.names[value].textContent = choice));
      return;
    }
    made.label.textContent = control.label;
    made.label.title = control.help;
    made.range.setAttribute("aria-label", control.help);
    made.box.dataset.role = control.role;
    made.back.hidden = made.forth.hidden = !control.leap;
    made.back.title = made.back.ariaLabel = words.back.replace("{}", control.leap);
    made.forth.title = made.forth.ariaLabel = words.forth.replace("{}", control.leap);
    made.play.hidden = !control.pace;
    if (control.stops) Object.assign(made.range, { min: 0, max: control.stops.length - 1, step: 1 });
    else Object.assign(made.range, { min: control.low, max: control.high, step: control.step });
  }

  // The value of a control; one that moves several stands at the lowest of them.
  reading(control) {
    return control.moves.length ? Math.min(...control.moves.map((name) => this.values[name])) : this.values[control.name];
  }

  highest(control) {
    const moved = control.moves.map((name) => this.values[name]);
    return moved.length ? control.high - (Math.max(...moved) - Math.min(...moved)) : control.high;
  }

  showControls() {
    for (const control of this.data.controls) {
      const { range, output, play, box, inputs } = this.controls.get(control.name);
      const value = this.reading(control);
      if (control.choices) {
        inputs.forEach((input, index) => (input.checked = index === value));
        continue;
      }
      const at = control.stops ? nearest(control.stops, value) : value;
      if (control.moves.length) range.max = this.highest(control);
      if (Number(range.value) !== at) range.value = at;
      const shown = this.numbers.write(value, 0);
      output.textContent = shown;
      range.setAttribute("aria-valuetext", shown);
      box.style.setProperty("--filled", (at - range.min) / (range.max - range.min || 1));
      const playing = this.playing === control.name;
      play.textContent = playing ? "❚❚" : "►";
      play.title = play.ariaLabel = playing ? this.data.words.pause : this.data.words.play;
    }
  }

  slide(name, at) {
    const { stops } = this.control(name);
    this.pause(false);
    this.set(name, stops ? stops[at] : at);
  }

  leap(name, direction) {
    const control = this.control(name);
    this.pause(false);
    this.set(name, this.reading(control) + direction * control.leap);
    this.showControls(); // at once: the slider's own keys go on from where it stands
    this.settle();
  }

  leapByKey(event, name) {
    const direction = { PageUp: 1, PageDown: -1 }[event.key];
    if (!direction || !this.control(name).leap) return;
    event.preventDefault();
    this.leap(name, direction);
  }

  // Sets one control (or all that it moves) and draws in the next frame.
  set(name, wanted, between = false) {
    const control = this.control(name);
    const onStep = between ? wanted : control.low + Math.round((wanted - control.low) / control.step) * control.step;
    const value = Math.min(Math.max(onStep, control.low), this.highest(control));
    const distance = value - this.reading(control);
    for (const target of control.moves.length ? control.moves : [name]) {
      this.values[target] += distance;
      this.changed(target);
    }
  }

  // A part or button whose `data-pick` is "<control> <value>" sets that control when it is clicked.
  pick(chosen) {
    if (!chosen) return;
    const [name, value] = chosen.dataset.pick.split(" ");
    this.pause(false);
    this.set(name, Number(value));
    this.settle();
  }

  changed(name) {
    this.dirty ??= new Set();
    if (!this.dirty.size) requestAnimationFrame(() => this.drawChanged());
    this.dirty.add(name);
    for (const [difference, pair] of Object.entries(this.data.differences)) if (pair.includes(name)) this.dirty.add(difference);
    this.unsent = true;
    const control = this.control(name);
    const beyond = control.span && (this.values[name] < control.span[0] || this.values[name] > control.span[1]);
    if (control.asks || beyond) {
      this.wanting = true;
      this.ask();
    }
  }

  drawChanged() {
    const changed = this.dirty;
    this.dirty = new Set();
    this.draw(changed);
    this.chimes.follow();
  }

  // -------------------------------------------------------------- talking to Python

  // Asks for new tracks while moving: one question at a time, the newest values in it.
  ask() {
    if (!this.wanting) return;
    const since = performance.now() - (this.asked ?? -Infinity);
    const pause = (this.answered < this.serial ? GIVE_UP : ASK_EVERY) - since;
    clearTimeout(this.later);
    this.later = setTimeout(() => this.tell(false), pause); // never at once: a key is pressed and let go in one go
  }

  // The hand let go: the link follows, then Python.
  settle() {
    if (!this.unsent) return;
    this.writeLink();
    this.tell(true);
  }

  tell(settled) {
    clearTimeout(this.later);
    this.wanting = false;
    this.unsent = this.unsent && !settled;
    this.asked = performance.now();
    this.serial += 1;
    this.root.dataset.stageTold = String(this.serial);
    const values = Object.fromEntries(this.data.controls.filter((c) => !c.moves.length).map((c) => [c.name, this.values[c.name]]));
    this.report({ serial: this.serial, settled, values });
  }

  // Writes the very query that Python will write, so that Streamlit adds nothing to the browser's history.
  writeLink() {
    const query = new URLSearchParams(location.search);
    for (const control of this.data.controls) {
      if (control.moves.length || control.default === null) continue;
      const value = this.values[control.name];
      if (value === control.default) query.delete(control.name);
      else query.set(control.name, value);
    }
    const text = query.toString();
    if (text === new URLSearchParams(location.search).toString()) return;
    history.replaceState(history.state, "", location.pathname + (text && `?${text}`) + location.hash);
  }

  // -------------------------------------------------------------- dragging things in the picture

  connectDrags() {
    const handles = this.named("handle");
    for (const drag of this.data.drags) {
      const track = this.tracks.find((t) => t.part === drag.part && t.attribute === "transform");
      for (const part of handles.get(drag.part) ?? []) {
        part.classList.add("stage-handle");
        part.onpointerdown = (event) => this.grab(event, part, drag, track);
        part.ontouchstart = (event) => event.preventDefault(); // else a finger scrolls: `touch-action` is not for parts of an SVG
      }
    }
  }

  // Follows the pointer: a turning part by its angle about its own origin, a sliding part by its distance.
  grab(event, handle, drag, track) {
    if (event.button || this.held) return;
    event.preventDefault();
    this.pause(false);
    const frame = track.parts[0].parentNode;
    const rate = track.values[0].terms[0].rate;
    const turning = track.template[0].includes("rotate");
    const where = (moved) => {
      const point = new DOMPoint(moved.clientX, moved.clientY).matrixTransform(frame.getScreenCTM().inverse());
      return turning ? (Math.atan2(point.y, point.x) * 180) / Math.PI : point.x;
    };
    let last = where(event);
    let exact = this.reading(this.control(drag.control));
    handle.setPointerCapture(event.pointerId);
    this.held = true;
    this.root.classList.add("stage-held");
    handle.onpointermove = (moved) => {
      if (moved.pointerId !== event.pointerId) return;
      const now = where(moved);
      const step = turning ? wrap(now - last + 180, 360) - 180 : now - last;
      last = now;
      const { low, high } = this.control(drag.control);
      if (rate) exact += step / rate;
      if (turning) exact = Math.min(Math.max(exact, low), high);
      this.set(drag.control, exact);
    };
    handle.onpointerup = handle.onpointercancel = (ended) => {
      if (ended.pointerId !== event.pointerId) return;
      handle.onpointermove = handle.onpointerup = handle.onpointercancel = null;
      this.held = false;
      this.root.classList.remove("stage-held");
      this.settle();
    };
  }

  // -------------------------------------------------------------- playing

  play(name) {
    this.pause(false);
    this.playing = name;
    const control = this.control(name);
    let begun = null;
    const from = this.reading(control) >= this.highest(control) ? control.low : this.reading(control);
    const tick = (now) => {
      if (this.playing !== name) return;
      begun ??= now;
      const exact = from + ((now - begun) / 1000) * control.pace;
      const value = control.glides ? exact : Math.floor(exact);
      if (value !== this.reading(control)) this.set(name, value, control.glides);
      if (value >= this.highest(control)) return this.pause();
      this.frame = requestAnimationFrame(tick);
    };
    this.frame = requestAnimationFrame(tick);
    this.showControls();
  }

  pause(settle = true) {
    if (!this.playing) return;
    cancelAnimationFrame(this.frame);
    this.playing = null;
    this.showControls();
    if (settle) this.settle();
  }
}

function nearest(stops, value) {
  let best = 0;
  stops.forEach((stop, index) => {
    if (Math.abs(stop - value) < Math.abs(stops[best] - value)) best = index;
  });
  return best;
}

// ---------------------------------------------------------------- sound

const VOICES = 12; // at most so many notes at once
const RING = 1.2; // seconds a note takes to fade

// Each chime sounds when its value passes a whole number, and its part lights up: what is heard is also shown.
class Chimes {
  constructor(stage) {
    this.stage = stage;
    this.list = [];
  }

  receive(list) {
    this.list = list;
    if (list.length && !this.box) this.build();
    this.passed = this.rounds();
  }

  rounds() {
    return this.list.map((chime) => Math.floor(this.stage.evaluate(chime.value)));
  }

  // Silent until asked: the button starts the sound, the slider is its loudness.
  build() {
    const words = this.stage.data.words;
    this.button = element("button", { type: "button", class: "stage-sound", "aria-pressed": "false" }, words.sound_on);
    this.volume = element("input", { type: "range", min: 0, max: 1, step: 0.05, value: 0.5, "aria-label": words.volume });
    this.heard = element("span", { class: "stage-heard" });
    this.box = element("div", { class: "stage-sound-box" }, this.button, this.volume, this.heard);
    this.button.onclick = () => this.turn(!this.on);
    this.volume.oninput = () => this.loudness?.gain.setTargetAtTime(Number(this.volume.value), this.audio.currentTime, 0.02);
    this.stage.handBox.before(this.box);
  }

  turn(on) {
    this.on = on;
    this.button.setAttribute("aria-pressed", String(on));
    this.button.textContent = on ? this.stage.data.words.sound_off : this.stage.data.words.sound_on;
    if (!on) {
      this.audio.suspend();
      return;
    }
    if (!this.audio) {
      this.audio = new AudioContext();
      this.loudness = new GainNode(this.audio, { gain: Number(this.volume.value) });
      this.loudness.connect(this.audio.destination);
    }
    this.audio.resume();
  }

  follow() {
    if (!this.list.length) return;
    const now = this.rounds();
    const rung = this.list.filter((_, index) => now[index] !== this.passed[index]);
    this.passed = now;
    if (!rung.length) return;
    this.heard.textContent = rung.slice(-VOICES).map((chime) => chime.name).join(" · ");
    for (const chime of rung.slice(-VOICES)) {
      this.light(chime);
      if (this.on) this.sound(chime.pitch, 1 / Math.max(2, Math.min(rung.length, VOICES)));
    }
  }

  light(chime) {
    const still = this.stage.still.matches;
    for (const part of this.stage.parts(chime.part)) {
      part.animate([{ filter: "brightness(1.6) drop-shadow(0 0 12px currentColor)" }, { filter: "none" }], { duration: still ? 1 : 600 });
    }
  }

  // A bell's note: the tone and a faint octave above it, struck at once and fading.
  sound(pitch, share) {
    const at = this.audio.currentTime;
    const fade = new GainNode(this.audio, { gain: 0 });
    fade.gain.setValueAtTime(share, at);
    fade.gain.exponentialRampToValueAtTime(0.001, at + RING);
    fade.connect(this.loudness);
    for (const frequency of [pitch, 2 * pitch]) {
      const tone = new OscillatorNode(this.audio, { frequency, type: "sine" });
      tone.connect(fade);
      tone.start(at);
      tone.stop(at + RING);
    }
  }
}

// ---------------------------------------------------------------- Plotly figures

// When the next frame has been painted.
const painted = () => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));

let plotly; // one promise a page: the library is loaded when the first plot needs it

function loadPlotly(source) {
  plotly ??= new Promise((resolve, reject) => {
    if (window.Plotly) return resolve(window.Plotly);
    const script = element("script", { src: source });
    script.onload = () => resolve(window.Plotly);
    script.onerror = () => reject(new Error(`${source} did not load`));
    document.head.append(script);
  });
  return plotly;
}

class Plots {
  constructor(stage) {
    this.stage = stage;
    this.figures = new Map();
  }

  // Takes new figures; each is drawn in place once the drawing stands.
  receive() {
    const { data, panels } = this.stage;
    for (const { name, kind, figure } of data.panels) {
      if (kind !== "plot") continue;
      const source = figure + this.colour("--st-text-color");
      if (this.figures.get(name)?.source === source) continue;
      this.figures.set(name, { canvas: panels.get(name).canvas, source, fresh: true, changed: new Set(), ...JSON.parse(figure) });
    }
    for (const name of this.figures.keys()) if (!panels.has(name)) this.figures.delete(name);
    if (!this.figures.size) return;
    for (const track of this.stage.tracks) if (track.plot) this.set(track, this.stage.evaluate(track.values[0]));
    if (this.library) this.move();
    else painted().then(() => this.start());
  }

  leave() {
    this.figures.clear();
  }

  async start() {
    try {
      this.library = await loadPlotly(this.stage.data.plotly);
    } catch {
      for (const { canvas } of this.figures.values()) canvas.textContent = this.stage.data.words.plot_missing;
      return;
    }
    this.move();
  }

  set({ plot, trace, attribute, point }, number) {
    const figure = this.figures.get(plot);
    if (!figure || Object.is(figure.data[trace][attribute][point], number)) return;
    figure.data[trace][attribute][point] = number;
    figure.changed.add(trace);
  }

  // Brings all figures up to the newest values, each in a frame of its own, after the drawing; one at a time, so an
  // older value is never drawn over a newer one, and in turns, so that none waits until the hand rests.
  async move() {
    if (!this.library || this.busy) return;
    this.busy = true;
    const behind = () => [...this.figures].filter(([, figure]) => figure.fresh || figure.changed.size).map(([name]) => name);
    try {
      for (let names = behind(); names.length; names = behind()) {
        for (const name of names) {
          await painted();
          const figure = this.figures.get(name);
          if (figure?.fresh) await this.redraw(figure);
          else if (figure?.changed.size) await this.shift(figure);
        }
      }
    } finally {
      this.busy = false;
    }
  }

  async redraw(figure) {
    figure.fresh = false;
    figure.changed.clear();
    const ready = this.stage.root.dataset.stageReady;
    const kept = { uirevision: figure.layout.uirevision || "kept" }; // the visitor's zoom stays
    const layout = { ...figure.layout, ...kept, ...this.look(figure.layout) };
    await this.library.react(figure.canvas, figure.data.map((trace) => this.paint(trace)), layout, { displayModeBar: false });
    figure.canvas.removeAllListeners?.("plotly_click");
    figure.canvas.on("plotly_click", (event) => this.pick(figure, event.points[0]));
    figure.canvas.dataset.drawn = ready;
  }

  // Moves points and lines alone: a map behind them is not drawn again.
  async shift(figure) {
    const traces = [...figure.changed];
    figure.changed.clear();
    const data = traces.map((trace) => ({ x: [...figure.data[trace].x], y: [...figure.data[trace].y] }));
    const atOnce = { mode: "immediate", frame: { duration: 0, redraw: false }, transition: { duration: 0 } };
    await this.library.animate(figure.canvas, { data, traces }, atOnce);
  }

  pick(figure, point) {
    this.stage.pause(false);
    for (const [axis, name] of Object.entries(figure.layout.meta?.picks ?? {})) this.stage.set(name, point[axis]);
    this.stage.settle();
  }

  // The theme's colours: a trace whose `meta.colour` names a variable is painted with it.
  paint(trace) {
    const colour = trace.meta?.colour && this.colour(trace.meta.colour);
    if (!colour) return { ...trace };
    return { ...trace, line: { ...trace.line, color: colour }, marker: { ...trace.marker, color: colour } };
  }

  // The plot's numbers as a table, made when it is opened.
  buildTable(name, summary) {
    const box = element("div", { class: "stage-table", tabindex: 0 });
    const details = element("details", {}, summary, box);
    details.ontoggle = () => box.replaceChildren(...(details.open ? this.figures.get(name).data.map((trace) => traceTable(trace)) : []));
    return details;
  }

  // Tables that are open follow once the hand rests.
  fillTables() {
    for (const details of this.stage.root.querySelectorAll(".stage-panel > details[open]")) details.ontoggle();
  }

  colour(name) {
    return getComputedStyle(this.stage.root).getPropertyValue(name).trim();
  }

  look(layout) {
    const [text, grid] = [this.colour("--st-text-color"), this.colour("--st-border-color")];
    const family = getComputedStyle(this.stage.root).fontFamily;
    const axes = Object.keys(layout).filter((key) => /^[xy]axis/.test(key));
    const themed = axes.map((key) => [key, { ...layout[key], gridcolor: grid, linecolor: grid, zerolinecolor: grid }]);
    return { font: { ...layout.font, color: text, family, size: 13 }, paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)", ...Object.fromEntries(themed) };
  }

  fit() {
    for (const { canvas } of this.figures.values()) if (canvas._fullLayout && canvas.clientWidth) this.library.Plots.resize(canvas);
  }
}

function traceTable({ name, x, y, z }) {
  const table = element("table", {}, element("caption", {}, name ?? ""));
  const row = (tag, cells) => table.append(element("tr", {}, ...cells.map((cell) => element(tag, {}, String(cell)))));
  if (z) {
    const [across, down] = [unpack(x), unpack(y)];
    const flat = unpack(z);
    row("th", ["", ...across]);
    down.forEach((label, index) => row("td", [label, ...flat.slice(index * across.length, (index + 1) * across.length).map((v) => v.toFixed(4))]));
  } else {
    const [across, down] = [unpack(x), unpack(y)];
    row("th", ["x", "y"]);
    across.forEach((at, index) => row("td", [at, down[index]]));
  }
  return table;
}

const PLOTLY_ARRAYS = { f8: Float64Array, f4: Float32Array, i1: Int8Array, i2: Int16Array, i4: Int32Array, u1: Uint8Array, u2: Uint16Array, u4: Uint32Array };

// A plain list of what Plotly keeps as nested lists or as base64 text.
function unpack(values) {
  if (!values.bdata) return [...values].flat();
  const bytes = Uint8Array.from(atob(values.bdata), (letter) => letter.charCodeAt(0));
  return [...new PLOTLY_ARRAYS[values.dtype](bytes.buffer)];
}
