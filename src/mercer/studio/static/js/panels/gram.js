// The Gram matrix as an image: rows and columns in the order that was chosen.

import { paint, prepare } from '../canvas.js';
import { diverging, palette, sequential, table } from '../colors.js';
import { segmented } from '../controls.js';
import { $, fill, h } from '../dom.js';
import { emit, nameOf, state } from '../state.js';

let limits = [0, 1];

export function drawGram(answer) {
  const gram = answer.gram;
  const canvas = $('#gram');
  const { context, width, height } = prepare(canvas);
  if (!gram) return;
  const size = gram.shape[0];
  let low = Infinity, high = -Infinity;
  for (let at = 0; at < gram.length; at++) {
    if (gram[at] < low) low = gram[at];
    if (gram[at] > high) high = gram[at];
  }
  limits = [low, high];
  const size98 = bulk(gram);
  const color = low < 0 ? signed(gram, size98) : plain(gram, low, Math.min(high, size98));
  paint(context, size, size, color, [0, 0, width, height], { smooth: size > width, down: true });
  drawFocus(context, answer, width, height);
  $('#gram-scale').textContent = range();
}

// Larger than nearly all values: a few samples far away must not leave the rest white.
function bulk(gram) {
  const step = Math.max(1, Math.floor(gram.length / 4000));
  const some = [];
  for (let at = 0; at < gram.length; at += step) some.push(Math.abs(gram[at]));
  some.sort((a, b) => a - b);
  return some[Math.floor(0.97 * (some.length - 1))] || 1;
}

function range() {
  const [low, high] = limits.map((value) => (Math.abs(value) < 1e-6 * Math.abs(limits[1]) ? '0' : value.toPrecision(3)));
  return `k from ${low} to ${high}`;
}

function plain(gram, low, high) {
  const top = high > low ? high : low + 1;
  return table(gram, (value) => sequential((value - low) / (top - low)), low, top);
}

const signed = (gram, size) => table(gram, (value) => diverging(value / size), -size, size);

function drawFocus(context, answer, width, height) {
  const at = [...answer.gram_rows].indexOf(state.focus);
  if (at < 0) return;
  const step = height / answer.gram.shape[0];
  context.strokeStyle = palette().accent;
  context.lineWidth = 1.5;
  context.strokeRect(0, at * step, width, Math.max(step, 2));
}

// The samples can be sorted by their targets, where they have any, or along the line.
export function drawOrders() {
  const target = state.space === 'curve' ? 'position' : { classes: 'class', values: 'value' }[state.task];
  const orders = [['component', 'component'], ['drawn', state.space === 'samples' ? 'as given' : 'as drawn']];
  if (target) orders.unshift(['class', target]);
  const pressed = !target && state.order === 'class' ? 'drawn' : state.order;
  fill($('#gram-order'), h('span', { class: 'soft', textContent: 'order ' }), segmented('Order of the samples', orders, pressed, (key) => { state.order = key; emit('order'); }));
}

export function watchGram() {
  const canvas = $('#gram');
  const read = (event) => {
    const { gram, gram_rows: rows } = state.answer ?? {};
    if (!gram) return null;
    const box = canvas.getBoundingClientRect();
    const size = gram.shape[0];
    const row = Math.floor(((event.clientY - box.top) / box.height) * size);
    const column = Math.floor(((event.clientX - box.left) / box.width) * size);
    if (row < 0 || column < 0 || row >= size || column >= size) return null;
    return { a: rows[row], b: rows[column], value: gram[row * size + column] };
  };
  canvas.addEventListener('pointermove', (event) => {
    const found = read(event);
    if (found) $('#gram-scale').textContent = `k = ${found.value.toPrecision(4)} of ${short(found.a)} and ${short(found.b)}`;
  });
  canvas.addEventListener('pointerleave', () => {
    $('#gram-scale').textContent = range();
  });
  canvas.addEventListener('click', (event) => {
    const found = read(event);
    if (!found) return;
    state.focus = found.a;
    emit('focus');
  });
}

function short(at) {
  const name = nameOf(at);
  return name.length > 26 ? `${name.slice(0, 25)}…` : name;
}
