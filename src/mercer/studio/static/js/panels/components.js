// The samples on the first two principal components in feature space.

import { dot, polyline, prepare } from '../canvas.js';
import { classColor, palette, valueColor } from '../colors.js';
import { $, h } from '../dom.js';
import { emit, labelOf, nameOf, state } from '../state.js';
import { spreadOf } from '../plane.js';

const MARGIN = 16;
let places = [];

export function drawComponents(answer, canvas = $('#components')) {
  const { context, width, height } = prepare(canvas);
  const points = answer.components;
  if (!points) { places = []; return; }
  const count = points.shape[0], columns = points.shape[1];
  const read = (at, column) => (column < columns ? points[at * columns + column] : 0);
  const scale = [0, 1].map((column) => extent(count, (at) => read(at, column)));
  const place = (at) => [
    MARGIN + ((read(at, 0) - scale[0][0]) / scale[0][1]) * (width - 2 * MARGIN),
    height - MARGIN - ((read(at, 1) - scale[1][0]) / scale[1][1]) * (height - 2 * MARGIN),
  ];
  const drawn = Array.from({ length: count }, (_, at) => place(at));
  if (canvas.id !== 'plane' || state.space === 'samples') places = drawn;
  drawLinks(context, drawn);
  const support = new Set([...(answer.support ?? [])]);
  const large = canvas.id === 'plane';
  const rim = state.task === 'values' && state.space === 'plane' ? palette().soft : palette().card;
  drawn.forEach(([x, y], at) => {
    const radius = large ? 6 : 3.4;
    dot(context, x, y, radius, colorOf(at), rim, 1);
    if (large && support.has(at)) dot(context, x, y, radius + 3, null, palette().ink, 1.1);
    if (at === state.focus) dot(context, x, y, radius + 4, null, palette().accent, 2.2);
  });
  const [first, second] = answer.shares;
  $('#components-facts').textContent = `${percent(first)} and ${percent(second ?? 0)} of the variance`;
}

function extent(count, read) {
  let low = Infinity, high = -Infinity;
  for (let at = 0; at < count; at++) [low, high] = [Math.min(low, read(at)), Math.max(high, read(at))];
  return [low, high - low || 1];
}

function drawLinks(context, drawn) {
  const near = state.answer?.neighbors;
  if (!near || state.answer.focus !== state.focus || !drawn[state.focus]) return;
  for (const { row } of near) {
    if (drawn[row]) polyline(context, [drawn[state.focus][0], drawn[row][0]], [drawn[state.focus][1], drawn[row][1]], palette().ink, 1, [2, 3]);
  }
}

function colorOf(at) {
  if (state.space === 'curve') return palette().classes[0];
  if (state.task === 'values') return valueColor(labelOf(at), spreadOf());
  const clusters = state.answer?.clusters;
  if (clusters && state.task === 'none') return classColor(clusters[at]);
  return state.task === 'none' ? palette().soft : classColor(labelOf(at));
}

const percent = (share) => `${(100 * share).toFixed(0)} %`;

// Point at a sample: its name appears, and the other pictures mark it.
export function watchComponents(canvas, tip) {
  canvas.addEventListener('pointermove', (event) => {
    if (canvas.id === 'plane' && state.space !== 'samples') return;
    const box = canvas.getBoundingClientRect();
    const at = closest(event.clientX - box.left, event.clientY - box.top);
    if (at === null) { tip.hidden = true; return; }
    tip.hidden = false;
    tip.textContent = nameOf(at);
    tip.style.left = `${Math.min(event.clientX - box.left + 12, box.width - 150)}px`;
    tip.style.top = `${event.clientY - box.top + 14}px`;
    if (state.focus !== at) { state.focus = at; emit('focus'); }
  });
  canvas.addEventListener('pointerleave', () => { tip.hidden = true; });
}

function closest(x, y) {
  let best = null, least = 14;
  places.forEach((place, at) => {
    const distance = Math.hypot(place[0] - x, place[1] - y);
    if (distance < least) [best, least] = [at, distance];
  });
  return best;
}

export function tipFor(canvas) {
  const tip = h('div', { class: 'tip', hidden: true, role: 'tooltip' });
  canvas.parentElement.append(tip);
  return tip;
}
