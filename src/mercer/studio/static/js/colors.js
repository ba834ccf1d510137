// Colors of classes and maps, read from the style sheet so that themes change them.

import { packed } from './canvas.js';

let cached = null;

export function palette() {
  if (cached) return cached;
  const style = getComputedStyle(document.documentElement);
  const read = (name) => style.getPropertyValue(name).trim();
  const classes = [0, 1, 2, 3, 4, 5, 6, 7].map((at) => read(`--class-${at}`));
  cached = {
    classes,
    rgb: classes.map(parse),
    ink: read('--ink'),
    soft: read('--soft'),
    line: read('--line'),
    card: read('--card'),
    cardRgb: parse(read('--card')),
    accent: read('--accent'),
    bad: read('--bad'),
  };
  return cached;
}

export function forget() {
  cached = null;
}

function parse(hex) {
  const value = parseInt(hex.slice(1), 16);
  return [value >> 16, (value >> 8) & 255, value & 255];
}

export function mix(a, b, share) {
  return a.map((value, at) => value + (b[at] - value) * share);
}

// Purple over teal to yellow, for values that have no sign: dark to bright.
const SEQUENTIAL = [[46, 26, 88], [58, 82, 139], [32, 144, 141], [94, 201, 98], [250, 230, 60]];

export function sequential(share) {
  const place = Math.max(0, Math.min(0.9999, share)) * (SEQUENTIAL.length - 1);
  const at = Math.floor(place);
  return mix(SEQUENTIAL[at], SEQUENTIAL[at + 1], place - at);
}

// From the second color over the card to the first one, for values with a sign.
export function diverging(share) {
  const { rgb, cardRgb } = palette();
  const strength = Math.min(1, Math.abs(share)) * 0.8;
  return mix(cardRgb, share < 0 ? rgb[0] : rgb[1], strength);
}

// A table of 256 colors from low to high, by which `paint` draws many values quickly.
export function table(values, color, low, high) {
  const colors = Uint32Array.from({ length: 256 }, (_, at) => packed(color(low + ((high - low) * at) / 255)));
  return { values, colors, low, high };
}

export function css(rgb, alpha = 1) {
  return `rgba(${rgb.map(Math.round).join(',')},${alpha})`;
}

export function classColor(code) {
  const { classes } = palette();
  return classes[((code % classes.length) + classes.length) % classes.length];
}

export function valueColor(value, spread) {
  return css(sequential(0.5 + value / (2 * spread || 1)));
}
