// The tools above the drawing area: classes or values, the eraser, sets of points.

import { segmented, slider } from './controls.js';
import { $, fill, h } from './dom.js';
import { clear, setTool, undo } from './drawing.js';
import { classColor } from './colors.js';
import { on, state } from './state.js';

let classes = null;

export function drawTools() {
  if (state.space === 'samples') {
    fill($('#tools'), h('span', { class: 'soft', textContent: 'Samples by kernel PCA: point at one to see what it is.' }), legend());
    return;
  }
  fill($('#tools'), brush(), segmented('Tool', [['draw', 'Draw'], ['erase', 'Erase']], 'draw', setTool),
    button('Undo', undo), button('Clear', clear));
}

// Which color is which class.
function legend() {
  return h('ul', { class: 'legend', 'aria-label': 'Classes' }, state.classes.map((name, code) => {
    const item = h('li', { textContent: name });
    item.style.setProperty('--swatch', `var(--class-${code % 8})`);
    return item;
  }));
}

function brush() {
  classes = null;
  if (state.task === 'values' && state.space === 'plane') {
    return slider({ label: 'value', value: state.brush, low: -2, high: 2 }, (value) => { state.brush = value; });
  }
  if (state.task !== 'classes' || state.space === 'curve') return null;
  const swatches = [0, 1, 2, 3].map((code) => {
    const swatch = h('button', {
      type: 'button', class: 'swatch', textContent: String(code + 1), title: state.classes[code] ?? `class ${code + 1}`,
      'aria-label': `draw ${state.classes[code] ?? `class ${code + 1}`}`, 'aria-pressed': String(code === state.brush),
      on: { click: () => choose(code) },
    });
    swatch.style.setProperty('--swatch', classColor(code));
    return swatch;
  });
  classes = swatches;
  return h('div', { class: 'swatches', role: 'group', 'aria-label': 'Class of new points' }, swatches);
}

function choose(code) {
  state.brush = code;
  classes?.forEach((swatch, at) => swatch.setAttribute('aria-pressed', String(at === code)));
}

on('brush', choose);
on('redraw', () => classes?.forEach((swatch, at) => swatch.style.setProperty('--swatch', classColor(at))));

function button(text, action) {
  return h('button', { type: 'button', textContent: text, on: { click: action } });
}
