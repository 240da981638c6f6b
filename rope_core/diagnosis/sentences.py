"""The remarks of a diagnosis in plain English; pages say the same in other languages, by the same keys and numbers."""

SENTENCES = {
    "nothing_turned": "Nothing turned: before and after are the same. That is what every convention does at position 0,"
    " so the data cannot tell which one it was.",
    "only_scaled": "Nothing turned: after is {factor:.6g} times before, so the data cannot tell which convention it"
    " was.",
    "no_values": "Every value is zero, and zero stays zero however it is turned: the data cannot tell.",
    "counter_clockwise": "Turned counter-clockwise by pairs in the layout {layout}, over the first {rotary_dim} of"
    " {head_dim} entries.",
    "clockwise": "Turned clockwise by pairs in the layout {layout}, over the first {rotary_dim} of {head_dim} entries.",
    "nothing_fits": "No layout and width explains all of it. The nearest is {layout} over {rotary_dim} entries, which"
    " explains {share:.0%} of the pairs and positions.",
    "angles_unexplained": "Every pair of the layout {layout} keeps its length over {rotary_dim} entries, but no table"
    " and no order of positions explains the angles.",
    "straight_until": "The angles grow evenly for the first {length} positions and not after them.",
    "places_found": "Counted in strides from the first, the vectors were turned at the places {places}.",
    "places_after": "After the first {length} positions the vectors were turned at the places {places}.",
    "decode_restarted": "After {length} positions the counting starts again: decoding restarted, as if its first token"
    " were the first of all.",
    "rotated_twice": "The rotation was applied two times: every angle is twice what the table says, or, where pairs"
    " were read interleaved and written as halves, the second turn mixed the pairs of the first.",
    "k_permuted_wrong_heads": "The rows of the keys were put into the other layout's order with a wrong number of"
    " heads: it takes the {num_kv_heads} heads of the keys, and the model has {num_heads} of the queries.",
    "rows_converted": "The rows of the keys were first put into the other layout's order, rightly, with {num_kv_heads}"
    " heads.",
    "heads_axis": "The angle follows the head and not the position: positions were counted along the heads.",
    "exponent_over_head_dim": "The exponents were divided by the whole head of {head_dim} instead of the {rotary_dim}"
    " entries that turn.",
    "half_precision_angles": "The angles were computed in {angle_dtype}, which cannot hold them: compute positions,"
    " frequencies and their product in float32.",
    "one_table_for_all_layers": "The table is that of the layers {found}, not of the layers {layer_type}: one table was"
    " used for all layers.",
    "differs_from_config": "No table that the configuration states explains the data.",
    "scaling_not_applied": "The configuration states the scaling {rope_type}, and the table is the one without it.",
    "table_of": "The table is that of the layers {found}.",
    "rounded_to": "The values are finer than the rotation: cosine and sine were rounded to {format}.",
    "equal_layouts": "At a width of {rotary_dim} several layouts are the same: {layouts}.",
    "equal_widths": "The slowest pairs turn too little to be seen, so the rotary width may be any of {widths}, each"
    " with its own base.",
    "equal_direction": "The other direction, {direction:+d}, with negated positions is the same rotation; it is set"
    " aside because positions count up.",
    "equal_modulus": "Every pair was made {measured:.6g} times as long. Rotated twice, each time would have had"
    " {once:.6g}.",
    "equal_unit": "A stride s together with a linear factor s is the same rotation for every s, and so is a rotation"
    " applied twice at half the stride or with twice the factor; the plainest of them is named: stride 1, factor 1.",
    "equal_scale": "Every angle is {scale:.6g} times that of an unscaled table at positions that count by one. These"
    " are the same rotation: a stride of {scale:.6g}; a linear factor of {factor:.6g} with stride 1; rotated twice with"
    " a stride of {twice_stride:.6g}; rotated twice with a linear factor of {twice_factor:.6g}.",
    "equal_dynamic": "A dynamic table at one length is the same as a larger base: {base:.6g} is the effective one, and"
    " a smaller stated base may stand behind it.",
    "dynamic_length": "The effective base {base:.6g} is that of the stated dynamic table at {length} tokens.",
    "equal_exponent": "A base of {base:.6g} with exponents over {rotary_dim} is the same as a base of {other:.6g} with"
    " exponents over the whole head of {head_dim}.",
    "equal_alias": "A scale of {scale:.6g} with a base of {base:.6g} explains the data too: whole turns between"
    " positions cannot be seen.",
    "base_open": "The data cannot tell the base.",
    "base_rough": "The base is near {base:.4g}, give or take {error:.2%}.",
    "angles_open": "The data cannot tell angles in {first} from angles in {second}.",
    "table_unknown": "Each pair turns evenly, but at rates that no unscaled table has and no known scaling explains.",
    "first_open": "The first position is {places:.6g} if positions count by one, and the stride times that if not.",
    "first_unknown": "The data cannot tell the first position.",
    "other_first": "The positions given start at {stated:.6g}; the angles start at {found:.6g}.",
    "cannot_tell": "The data cannot tell: {fields}.",
}
"""key: sentence, whose places in braces are the numbers of the remark."""


def said(remarks: tuple[tuple[str, dict[str, object]], ...]) -> str:
    """The remarks as one text, a sentence each."""
    return " ".join(SENTENCES[key].format(**numbers) for key, numbers in remarks)
