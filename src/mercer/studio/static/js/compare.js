// Two kernels side by side on the same folds.

import { paint, prepare } from './canvas.js';
import { connection } from './connection.js';
import { palette } from './colors.js';
import { $, fill, h, svg, toast } from './dom.js';
import { colorOf } from './plane.js';
import { on, request, state } from './state.js';

export function startCompare() {
  $('#compare-form').addEventListener('submit', (event) => {
    event.preventDefault();
    run().catch((error) => toast(error.message, 'bad'));
  });
  $('#other').addEventListener('keydown', (event) => {
    if (event.key !== 'Enter') return;
    event.preventDefault();
    $('#compare-form').requestSubmit();
  });
  on('loaded', () => {
    const others = state.preset?.variants ?? [];
    $('#other').value = others.length > 1 ? others[1][1] : 'Linear()';
    fill($('#compare-result'));
  });
}

async function run() {
  const other = $('#other').value.replaceAll('\n', ' ');
  $('#compare-run').disabled = true;
  try {
    const found = await connection.ask('compare', request({ other }));
    const looks = await Promise.all([state.kernel, other].map((kernel) => connection.ask('look', request({ kernel, want: ['surface', 'gram'], grid: 56 }))));
    draw(found, [state.kernel, other], looks);
  } finally {
    $('#compare-run').disabled = false;
  }
}

function draw(found, kernels, looks) {
  const sides = kernels.map((kernel, at) => h('figure', { class: 'side' },
    h('figcaption', {}, h('b', { textContent: 'AB'[at] }), ' ', h('code', { textContent: kernel })),
    h('div', { class: 'pair' },
      h('canvas', { class: 'small surface', role: 'img', 'aria-label': `Decision surface of kernel ${'AB'[at]}` }),
      h('canvas', { class: 'small gram', role: 'img', 'aria-label': `Gram matrix of kernel ${'AB'[at]}` })),
    h('p', { class: 'score' }, h('b', { textContent: shown(found.metric, found.means[at]) }), ` mean ${found.metric}`)));
  const sure = Math.abs(found.gap) > 2 * found.deviation;
  const better = found.gap > 0 ? 'B' : 'A';
  const verdict = sure ? `${better} is better by ${gap(found, found.gap)}, more than twice the standard error.`
    : `The difference of ${gap(found, found.gap)} is within the noise (standard error ${gap(found, found.deviation)}).`;
  fill($('#compare-result'), h('div', { class: 'sides' }, sides), strip(found),
    h('p', {}, verdict, ' ', h('span', { class: 'soft', textContent: `${found.folds}. The kernels agree by ${(100 * found.alignment).toFixed(0)} % (alignment).` })));
  looks.forEach((look, at) => paintSide(sides[at], look));
}

function paintSide(side, look) {
  const [surface, gram] = side.querySelectorAll('canvas');
  if (look.surface) {
    const { context, width, height } = prepare(surface);
    const [rows, columns] = look.surface.shape;
    paint(context, columns, rows, colorOf(look.surface, look.surface_kind), [0, 0, width, height], { smooth: look.surface_kind !== 'regions' });
  } else surface.remove();
  const { context, width, height } = prepare(gram);
  const size = look.gram.shape[0];
  const most = look.gram.reduce((a, b) => Math.max(a, Math.abs(b)), 1e-12);
  const { rgb, cardRgb } = palette();
  const color = (cell) => {
    const share = look.gram[cell] / most;
    return cardRgb.map((value, k) => value + ((share < 0 ? rgb[1] : rgb[0])[k] - value) * Math.abs(share));
  };
  paint(context, size, size, color, [0, 0, width, height], { smooth: size > width, down: true });
}

// Every fold as a line from the score of A to that of B.
function strip(found) {
  const count = found.scores.shape[1];
  const a = found.scores.subarray(0, count), b = found.scores.subarray(count);
  const low = Math.min(...a, ...b), high = Math.max(...a, ...b);
  const y = (value) => 92 - 80 * ((value - low) / (high - low || 1));
  const lines = Array.from({ length: count }, (_, at) => svg('line', {
    x1: 60, y1: y(a[at]), x2: 240, y2: y(b[at]), class: b[at] >= a[at] ? 'up' : 'down',
  }));
  const dots = Array.from({ length: count }, (_, at) => [
    svg('circle', { cx: 60, cy: y(a[at]), r: 3.5, class: 'a' }), svg('circle', { cx: 240, cy: y(b[at]), r: 3.5, class: 'b' }),
  ]).flat();
  const labels = [svg('text', { x: 44, y: 56 }, 'A'), svg('text', { x: 250, y: 56 }, 'B')];
  const title = svg('title', {}, `${found.metric} on ${count} folds: each line is a fold`);
  return svg('svg', { viewBox: '0 0 300 104', class: 'strip', role: 'img' }, title, lines, dots, labels);
}

function gap({ metric }, value) {
  return metric === 'accuracy' ? `${(100 * Math.abs(value)).toFixed(1)} percentage points` : Math.abs(value).toFixed(3);
}

function shown(metric, value) {
  return metric === 'accuracy' ? `${(100 * value).toFixed(1)} %` : value.toFixed(3);
}

