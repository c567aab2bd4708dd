/* Colours of values: one scale for every view, with the same strength for the same distance from zero. */

/** Red, green and blue of one of the page's colours. */
function channels(name) {
  const hex = getComputedStyle(document.documentElement)
    .getPropertyValue("--" + name)
    .trim();
  return [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16));
}

/**
 * A scale for some numbers. Values on both sides of zero share one range, so that −0.4 is as strong as 0.4; values on
 * one side are spread over their own range, so that small differences remain visible. The range leaves out 2 % at each
 * end, so that one outlier does not make all other cells pale. `ends` fixes the range.
 */
export function heatScale(values, ends = null) {
  const sorted = values.filter(Number.isFinite).sort((a, b) => a - b);
  const at = (share) => sorted[Math.round(share * (sorted.length - 1))] ?? 0;
  let [low, high] = ends || [at(0.02), at(0.98)];
  const two = ends ? low < 0 && high > 0 : (sorted[0] ?? 0) < 0 && (sorted[sorted.length - 1] ?? 0) > 0;
  if (two) ((high = Math.max(Math.abs(low), Math.abs(high), 1e-12)), (low = -high));
  else if (high - low < 1e-12) [low, high] = [low - 0.5, high + 0.5];
  const below = !two && high <= 0;
  const share = (value) => {
    const part = two ? Math.abs(value) / high : below ? (high - value) / (high - low) : (value - low) / (high - low);
    return Math.min(1, Math.max(0, part));
  };
  const colours = { cold: channels("cold"), hot: channels("hot"), below: channels("below") };
  /** Black or white text, whichever has more contrast: one of them always has more than 4.5 (WCAG, at luminance 0.179). */
  function style(value) {
    const hue = (two && value < 0) || below ? "below" : "hot";
    const percent = Math.round(100 * share(value)),
      [from, to] = [colours.cold, colours[hue]];
    const [red, green, blue] = from.map((cold, i) => {
      const channel = (cold + ((to[i] - cold) * percent) / 100) / 255;
      return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4;
    });
    const dark = 0.2126 * red + 0.7152 * green + 0.0722 * blue < 0.179;
    return { background: `color-mix(in srgb, var(--${hue}) ${percent}%, var(--cold))`, color: dark ? "#fff" : "#000" };
  }
  return { low, high, two, style, stops: (two ? [low, 0, high] : [low, high]).map((value) => style(value).background) };
}

/** One of eight colours for an index. */
export const hue = (i) => `var(--c${1 + (i % 8)})`;
