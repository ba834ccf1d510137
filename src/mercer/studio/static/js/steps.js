// Learning step by step: frames of a machine or of a Gaussian process, forwards and backwards.

import { connection } from './connection.js';
import { $, announce, toast } from './dom.js';
import { drawPlane } from './plane.js';
import { emit, on, request, state } from './state.js';

let film = null;
let at = 0;
let playing = null;

export function startSteps() {
  $('#steps-start').addEventListener('click', begin);
  $('#steps-play').addEventListener('click', () => (playing ? pause() : play()));
  $('#steps-range').addEventListener('input', () => { pause(); go(Number($('#steps-range').value)); });
  $('#steps-end').addEventListener('click', () => { endSteps(); drawPlane(); });
  $('#steps-take').addEventListener('click', take);
  on('redraw', () => { if (film) go(at); });
}

async function begin() {
  try {
    film = await connection.ask('steps', request());
  } catch (error) {
    toast(error.message, 'bad');
    return;
  }
  $('#steps-bar').hidden = false;
  $('#steps-start').hidden = true;
  $('#steps-take').hidden = !film.steps[0].kernel;
  $('#steps-range').max = film.steps.length - 1;
  go(0);
  play();
}

function play() {
  if (at >= film.steps.length - 1) go(0);
  $('#steps-play').textContent = '❚❚';
  $('#steps-play').setAttribute('aria-label', 'Pause');
  const still = matchMedia('(prefers-reduced-motion: reduce)').matches;
  playing = setInterval(() => {
    if (at >= film.steps.length - 1) pause();
    else go(at + 1);
  }, still ? 1200 : 350);
}

function pause() {
  clearInterval(playing);
  playing = null;
  $('#steps-play').textContent = '▶';
  $('#steps-play').setAttribute('aria-label', 'Play');
}

function go(next) {
  at = next;
  const step = film.steps[at];
  const [, rows, columns] = film.frames.shape;
  const values = film.frames.subarray(at * rows * columns, (at + 1) * rows * columns);
  values.shape = [rows, columns];
  const frame = state.space === 'curve' ? { curve: values } : { surface: values, surface_kind: film.surface_kind };
  if (film.weights) {
    const count = film.weights.shape[1];
    frame.weights = film.weights.subarray(at * count, (at + 1) * count);
  }
  drawPlane(frame);
  $('#steps-range').value = at;
  $('#steps-text').textContent = `${step.title}: ${step.text}${step.kernel ? ` · ${step.kernel}` : ''}`;
  if (!playing) announce($('#steps-text').textContent);
}

// The kernel of this step becomes that of the page.
function take() {
  const kernel = film.steps[at].kernel;
  endSteps();
  state.kernel = kernel;
  $('#expression').value = kernel;
  emit('retype');
}

export function endSteps() {
  if (!film) return;
  pause();
  film = null;
  $('#steps-bar').hidden = true;
  $('#steps-start').hidden = false;
}
