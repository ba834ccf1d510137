// The samples nearest to the one that is pointed at, in feature space.

import { $, fill, h } from '../dom.js';
import { emit, nameOf, state } from '../state.js';

export function drawNeighbors(answer) {
  const box = $('#neighbors');
  if (!answer.neighbors || answer.focus !== state.focus) {
    fill(box, h('p', { class: 'soft', textContent: 'Point at a sample, here or in the map, to see which others the kernel finds most similar.' }));
    return;
  }
  const rows = answer.neighbors.map(({ row, distance, value }) => h('tr', {},
    h('td', {}, h('button', {
      type: 'button', class: 'link', textContent: nameOf(row),
      on: { click: () => { state.focus = row; emit('focus'); } },
    })),
    h('td', { class: 'figure', textContent: distance.toPrecision(3) }), h('td', { class: 'figure', textContent: value.toPrecision(3) })));
  fill(box, h('p', { class: 'focus-name', textContent: nameOf(answer.focus) }),
    h('div', { class: 'scroll' }, h('table', {}, h('thead', {}, h('tr', {}, ['neighbor', 'distance', 'k'].map((text, at) => h('th', { class: at ? 'figure' : '', textContent: text })))), h('tbody', {}, rows))));
}
