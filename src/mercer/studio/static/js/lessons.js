// Lecture figures: the list, the text beside each, and the variants that it compares.

import { connection } from './connection.js';
import { $, fill, h, toast } from './dom.js';
import { openChapter } from './chapter.js';
import { emit, state } from './state.js';

const SPACES = { plane: 'In the plane', curve: 'Along a line', samples: 'Other kinds of samples' };
const NAMES = ['class 1', 'class 2', 'class 3', 'class 4'];

export function startLessons() {
  const select = $('#lesson');
  const groups = Object.entries(SPACES).map(([space, label]) => h('optgroup', { label },
    state.catalogue.presets.filter((preset) => preset.space === space)
      .map((preset) => h('option', { value: preset.name, textContent: preset.title }))));
  fill(select, groups);
  select.addEventListener('change', () => load(select.value).catch((error) => toast(error.message, 'bad')));
}

export async function load(name) {
  const preset = state.catalogue.presets.find((each) => each.name === name);
  const answer = await connection.ask('samples', { space: preset.space, name: preset.samples });
  Object.assign(state, {
    preset, space: preset.space, task: preset.task, set: preset.samples, focus: null, brush: 0,
    points: answer.points ? rows(answer.points) : [], window: answer.window ?? [-3, 3, -3, 3],
    names: answer.names ?? [], labels: answer.labels ?? null, classes: answer.classes ?? NAMES,
  });
  $('#lesson').value = name;
  choose(preset.variants[0], false);
  drawLesson(0);
  emit('loaded');
}

function choose([, kernel, learner, options], tell = true) {
  Object.assign(state, { kernel, learner, options: { ...options } });
  if (tell) emit('loaded');
}

function drawLesson(current) {
  const { preset } = state;
  const buttons = preset.variants.map((variant, at) => h('button', {
    type: 'button', class: 'variant', textContent: variant[0], 'aria-pressed': String(at === current),
    on: { click: () => { choose(variant); drawLesson(at); } },
  }));
  const links = [];
  if (state.catalogue.chapters.includes(preset.chapter)) {
    links.push(h('button', { type: 'button', class: 'link', textContent: 'Read the chapter', on: { click: () => openChapter(preset.chapter) } }));
  }
  if (preset.study) links.push(h('span', { class: 'soft' }, 'Study: ', h('code', { textContent: `mercer gallery ${preset.study}` })));
  fill($('#lesson-text'), h('p', { textContent: preset.text }), h('div', { class: 'variants', role: 'group', 'aria-label': 'Variants' }, buttons),
    h('p', { class: 'links' }, links));
}

// Points of the user's own table in place of a lesson.
export function loadPoints(answer, title) {
  const points = rows(answer.points);
  Object.assign(state, {
    preset: null, space: 'plane', task: answer.task, set: '', focus: null, brush: 0, points, window: around(points),
    names: [], labels: null, classes: answer.classes.length ? answer.classes : NAMES, kernel: 'RBF(length_scale=1.0)', options: {},
  });
  fill($('#lesson-text'), h('p', { textContent: title }));
  emit('loaded');
}

function rows(array) {
  const [count, width] = array.shape;
  return Array.from({ length: count }, (_, at) => [...array.subarray(at * width, (at + 1) * width)]);
}

function around(points) {
  const size = Math.max(...points.flatMap(([x, y]) => [Math.abs(x), Math.abs(y)]), 1) * 1.1;
  return [-size, size, -size, size];
}
