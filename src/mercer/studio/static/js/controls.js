// A labeled slider with its number, logarithmic where that is asked for.

import { h } from './dom.js';

let serial = 0;
const STEPS = 400;

export function slider({ label, value, low, high, log = false, whole = false, title = '' }, onchange) {
  const id = `slider-${serial++}`;
  const toTrack = (v) => (log ? Math.log(v / low) / Math.log(high / low) : (v - low) / (high - low)) * STEPS;
  const fromTrack = (t) => (log ? low * (high / low) ** (t / STEPS) : low + (high - low) * (t / STEPS));
  const number = h('input', {
    type: 'number', class: 'number', value: shown(value), step: 'any', 'aria-label': `${label}, as a number`,
    on: { change: () => set(Number(number.value), true) },
  });
  const track = h('input', {
    id, type: 'range', min: whole ? low : 0, max: whole ? high : STEPS, step: whole ? 1 : 'any',
    value: whole ? value : toTrack(value), title,
    on: { input: () => set(whole ? Number(track.value) : tidy(fromTrack(Number(track.value))), false) },
  });
  track.setAttribute('aria-valuetext', shown(value));

  function set(next, typed) {
    if (!Number.isFinite(next)) return;
    const kept = whole ? Math.round(next) : next;
    if (typed) track.value = whole ? kept : toTrack(Math.max(low, Math.min(high, kept)));
    else number.value = shown(kept);
    track.setAttribute('aria-valuetext', shown(kept));
    onchange(kept);
  }
  return h('div', { class: 'slider' }, h('label', { for: id, textContent: label, title }), track, number);
}

function tidy(value) {
  return Math.abs(value) < 1e-9 ? 0 : Number(value.toPrecision(3));
}

export function shown(value) {
  if (value === 0) return '0';
  const size = Math.abs(value);
  return size >= 1e5 || size < 1e-4 ? value.toExponential(1) : String(Number(value.toPrecision(3)));
}

export function choice({ label, value, options }, onchange) {
  const id = `choice-${serial++}`;
  const select = h('select', { id, on: { change: () => onchange(options[select.selectedIndex]) } },
    options.map((option) => h('option', { textContent: String(option), selected: option === value })));
  return h('div', { class: 'slider' }, h('label', { for: id, textContent: label }), select);
}

export function toggle({ label, value }, onchange) {
  const box = h('input', { type: 'checkbox', checked: value, on: { change: () => onchange(box.checked) } });
  return h('label', { class: 'switch' }, box, ` ${label}`);
}

export function field({ label, value }, onchange) {
  const id = `field-${serial++}`;
  const input = h('input', { id, type: 'text', value, spellcheck: false, on: { change: () => onchange(input.value) } });
  return h('div', { class: 'slider' }, h('label', { for: id, textContent: label }), input);
}

// Buttons of which one is pressed.
export function segmented(label, options, value, onchange) {
  const buttons = options.map(([key, text, title]) => h('button', {
    type: 'button', textContent: text, title: title ?? '', 'aria-pressed': String(key === value),
    on: { click: () => { press(key); onchange(key); } },
  }));
  function press(key) {
    buttons.forEach((button, at) => button.setAttribute('aria-pressed', String(options[at][0] === key)));
  }
  const group = h('div', { class: 'segmented', role: 'group', 'aria-label': label }, buttons);
  group.press = press;
  return group;
}
