// The playground: what changes, what is asked for, and who draws the answer.

import { addKernel, drawBuilder } from './builder.js';
import { startCompare } from './compare.js';
import { Latest } from './connection.js';
import { segmented } from './controls.js';
import { $, announce, copy, fill, h } from './dom.js';
import { watch } from './drawing.js';
import { startExport } from './export.js';
import { drawLearner, fitLearner } from './learners.js';
import { load, startLessons } from './lessons.js';
import { drawPalette } from './palette.js';
import { drawComponents, tipFor, watchComponents } from './panels/components.js';
import { drawDraws } from './panels/draws.js';
import { drawGram, drawOrders, watchGram } from './panels/gram.js';
import { drawNeighbors } from './panels/neighbors.js';
import { drawProof } from './panels/proof.js';
import { drawSpectrum } from './panels/spectrum.js';
import { drawPlane } from './plane.js';
import { emit, on, request, state } from './state.js';
import { endSteps, startSteps } from './steps.js';
import { drawTools } from './tools.js';

const EVERYTHING = ['proof', 'surface', 'gram', 'spectrum', 'components', 'neighbors', 'draws'];
const PARTS = {
  surface: ['surface', 'surface_kind', 'curve', 'support', 'clusters', 'facts', 'notes'],
  neighbors: ['focus', 'neighbors'], draws: ['line', 'prior', 'posterior'],
};
let wanted = new Set(EVERYTHING);
let retype = true;
let which = 'prior';

const live = new Latest(
  () => {
    const want = [...wanted];
    wanted = new Set();
    return ['look', request({ want })];
  },
  show,
  fail,
);

function ask(...views) {
  for (const view of views.length ? views : EVERYTHING) wanted.add(view);
  live.request();
}

function show(answer) {
  $('#expression').setAttribute('aria-invalid', 'false');
  $('#expression-error').hidden = true;
  if (retype) {
    state.block = answer.block;
    drawBuilder();
    retype = false;
  }
  state.answer = merged(answer);
  draw();
  document.body.dataset.answers = String(Number(document.body.dataset.answers ?? 0) + 1);
  $('#speed').textContent = `${Math.round(answer.roundtrip)} ms`;
}

// The new answer over the last one; of the views that were asked again, nothing old is kept.
function merged(answer) {
  const kept = answer.proof ? { failed: {} } : { ...state.answer, failed: { ...state.answer?.failed } };
  for (const view of ['neighbors', ...answer.wanted]) {
    for (const part of PARTS[view] ?? []) delete kept[part];
    delete kept.failed[view];
  }
  return { ...kept, ...answer, failed: { ...kept.failed, ...answer.failed } };
}

function fail(error) {
  $('#expression').setAttribute('aria-invalid', 'true');
  $('#expression-error').hidden = false;
  $('#expression-error').textContent = error.message;
  announce(error.message);
}

function draw() {
  const answer = state.answer;
  if (!answer) return;
  if (state.space === 'samples') drawComponents(answer, $('#plane'));
  else drawPlane();
  if (answer.proof) drawProof(answer.proof);
  drawGram(answer);
  drawSpectrum(answer);
  drawComponents(answer);
  drawNeighbors(answer);
  drawDraws(answer, which);
  drawFacts(answer);
}

function drawFacts(answer) {
  const { failed } = answer;
  const facts = (failed.surface ? [] : answer.facts ?? []).map(([name, value]) => h('div', { class: 'fact' },
    h('b', { textContent: value }), h('span', { textContent: name })));
  fill($('#facts'), facts);
  const problem = failed.surface ?? answer.notes?.[0] ?? '';
  $('#plane-note').hidden = !problem;
  $('#plane-note').textContent = problem;
  $('#plane-note').className = failed.surface ? 'note bad' : 'note';
  $('#draws-facts').classList.toggle('bad', Boolean(failed.draws));
  if (failed.draws) $('#draws-facts').textContent = failed.draws;
}

function layout() {
  document.body.dataset.space = state.space;
  const drawable = state.space !== 'samples';
  $('#plane').setAttribute('aria-label', drawable
    ? 'Drawing area. Arrow keys move a cursor, Enter adds a point, Delete removes one, g grabs one, 1 to 4 choose a class.'
    : 'Map of the samples: kernel principal components');
  drawTools();
  drawPalette(addKernel);
  drawLearner();
  drawOrders();
  const choices = [['prior', 'prior'], ['posterior', 'posterior']];
  if (state.space !== 'curve') which = 'prior';
  fill($('#draws-choice'), state.space === 'curve' ? segmented('Which functions', choices, which, (key) => { which = key; draw(); }) : null);
}

function watchExpression() {
  let timer = null;
  $('#expression').addEventListener('input', () => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      state.kernel = $('#expression').value.replaceAll('\n', ' ');
      retype = true;
      endSteps();
      ask();
    }, 220);
  });
  $('#copy-expression').addEventListener('click', () => copy(state.kernel, 'The expression'));
}

export async function startPlay() {
  on('kernel', () => { endSteps(); ask(); });
  on('retype', () => { retype = true; ask(); });
  on('points', () => { endSteps(); drawPlane(); ask(); });
  on('learner', () => { endSteps(); ask('surface', 'draws'); });
  on('order', () => ask('gram'));
  on('draws', () => ask('draws'));
  on('focus', () => { draw(); ask('neighbors'); });
  on('redraw', draw);
  on('loaded', () => {
    endSteps();
    retype = true;
    fitLearner();
    $('#expression').value = state.kernel;
    state.answer = null;
    layout();
    ask();
  });
  watch();
  watchExpression();
  watchGram();
  for (const canvas of [$('#components'), $('#plane')]) watchComponents(canvas, tipFor(canvas));
  $('#redraw').addEventListener('click', () => { state.seed += 1; emit('draws'); });
  startSteps();
  startCompare();
  startExport();
  startLessons();
  new ResizeObserver(draw).observe($('#play'));
  await load(state.catalogue.presets[0].name);
}
