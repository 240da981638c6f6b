// Measures inside the page: from an input event (or the start of the navigation) to the frame that shows its effect.
//
// A look is {selector, attribute}; what it sees is that attribute of every element the selector finds. A mutation
// observer notices when that has become something else, before the frame with the change is painted. In every frame
// a message is posted from requestAnimationFrame: it arrives when the frame's style, layout and paint are done. So the
// first message after a change tells the end of the frame that shows it. (Chrome's own trace of the same dragging,
// `EventLatency`, which ends when the screen has the picture, gave the same median within 2 ms.)
(() => {
  const PATIENCE = 120_000; // milliseconds
  let waiting = []; // {look, before, since, resolve, changed}
  const frameDone = new MessageChannel();

  const see = ({ selector, attribute }) =>
    [...document.querySelectorAll(selector)].map((part) => part.getAttribute(attribute)).join("|");

  const notice = () => {
    for (const one of waiting) one.changed ||= one.since !== null && see(one.look) !== one.before;
  };
  new MutationObserver(notice).observe(document, { subtree: true, childList: true, attributes: true });

  frameDone.port1.onmessage = () => {
    const now = performance.now();
    for (const one of waiting) if (one.changed) one.resolve(now - one.since);
    waiting = waiting.filter((one) => !one.changed);
  };
  const tick = () => {
    frameDone.port2.postMessage(null);
    requestAnimationFrame(tick);
  };
  requestAnimationFrame(tick);

  const wait = (look, since, before = see(look)) =>
    new Promise((resolve, reject) => {
      waiting.push({ look, before, since, resolve, changed: false });
      setTimeout(() => reject(new Error(`nothing new at ${look.selector}`)), PATIENCE);
    });

  // Several moves of the pointer may come as one event; the oldest of them has waited longest.
  const begun = (event) => event.getCoalescedEvents?.()[0]?.timeStamp ?? event.timeStamp;

  window.bench = {
    // From the start of the navigation to the first thing that each look sees.
    first: (looks) => Promise.all(looks.map((look) => wait(look, 0, ""))),

    // From the next event of this type to the change that each look sees.
    after(type, looks) {
      const results = Promise.all(looks.map((look) => wait(look, null)));
      const ours = waiting.slice(-looks.length);
      const begin = (event) => ours.forEach((one) => (one.since = begun(event)));
      addEventListener(type, begin, { capture: true, once: true });
      return results;
    },

    // From one event of this type after the other to the change it brings, until `stop()`, which gives them all.
    every(type, look) {
      const results = [];
      let open = false;
      const begin = (event) => {
        if (open) return;
        open = true;
        wait(look, begun(event)).then((result) => {
          results.push(result);
          open = false;
        });
      };
      addEventListener(type, begin, { capture: true });
      return {
        stop() {
          removeEventListener(type, begin, { capture: true });
          return results;
        },
      };
    },

    // When nothing that the looks see has changed for so many frames.
    still: (looks, frames = 20) =>
      new Promise((resolve) => {
        let [before, left] = [null, frames];
        const check = () => {
          const now = looks.map(see).join("|");
          left = now === before ? left - 1 : frames;
          before = now;
          if (left) requestAnimationFrame(check);
          else resolve();
        };
        check();
      }),
  };
})();
