// The kernels to build with: dragged onto the blocks, or added by a click.

import { segmented } from './controls.js';
import { connection } from './connection.js';
import { $, fill, h, toast } from './dom.js';
import { state } from './state.js';

const KINDS = { plane: ['vectors'], curve: ['vectors'] };
const OF_COLLECTION = {
  headlines: ['strings', 'texts'], promoters: ['strings'], votes: ['tables of categories'],
  functions: ['trees'], series: ['series'], rings: ['graphs'], karate: [],
};
let how = 'sum';
let all = false;

export function drawPalette(addKernel) {
  const kinds = KINDS[state.space] ?? OF_COLLECTION[state.set] ?? [];
  const fitting = state.catalogue.kernels.filter((kernel) => kernel.anywhere || kinds.includes(kernel.kind));
  const shown = all || state.space === 'samples' ? fitting : fitting.filter((kernel) => kernel.favorite);
  const chips = shown.map((kernel) => h('button', {
    type: 'button', class: `chip ${kernel.status}`, textContent: kernel.name, draggable: true,
    title: `${kernel.formula}\n${kernel.status}`,
    on: {
      click: () => addKernel(kernel.text, how).catch((error) => toast(error.message, 'bad')),
      dragstart: (event) => startDrag(event, { kernel: kernel.text }),
    },
  }));
  const more = h('button', {
    type: 'button', class: 'chip more', textContent: all ? 'fewer' : `${fitting.length - shown.length} more`,
    on: { click: () => { all = !all; drawPalette(addKernel); } },
  });
  const mode = segmented('How a click adds a kernel', [['sum', '+ term'], ['product', '× factor']], how, (key) => { how = key; });
  fill($('#palette'), h('div', { class: 'palette-head' }, h('span', { class: 'soft', textContent: 'Click or drag' }), mode),
    h('div', { class: 'chips' }, chips, fitting.length > shown.length || all ? more : null));
}

export function startDrag(event, what) {
  event.stopPropagation();
  event.dataTransfer.setData('text/plain', JSON.stringify(what));
  event.dataTransfer.effectAllowed = 'copyMove';
}

export function accepts(event, zone) {
  event.preventDefault();
  event.stopPropagation();
  zone.classList.add('over');
}

export function dragged(event) {
  try {
    return JSON.parse(event.dataTransfer.getData('text/plain'));
  } catch {
    return null; // something from outside of the page
  }
}

// The blocks of an expression, which the worker knows.
export async function kernelFrom(text) {
  const data = state.space === 'samples' ? { space: 'samples', set: state.set } : { space: 'plane', points: [] };
  const answer = await connection.ask('look', { kernel: text, data, want: [] });
  return answer.block;
}
