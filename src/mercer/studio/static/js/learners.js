// The learner and its sliders; only those that fit the targets are offered.

import { slider } from './controls.js';
import { $, fill, h } from './dom.js';
import { emit, learner, state } from './state.js';

const TASKS = { classes: 'Classes', values: 'Values', none: 'No labels' };

// Where the learner does not suit the targets, the first that does takes its place.
export function fitLearner() {
  const wanted = state.space === 'curve' ? 'values' : state.task;
  if (learner()?.task === wanted) return;
  choose(state.catalogue.learners.find((each) => each.task === wanted).name);
}

function choose(name) {
  state.learner = name;
  state.options = Object.fromEntries(learner().options.map((option) => [option.name, option.start]));
}

function tasks() {
  if (state.space === 'curve') return ['values'];
  if (state.space === 'samples') return ['classes', 'none'];
  if (state.task === 'none') return ['none'];
  return state.task === 'values' ? ['values', 'none'] : ['classes', 'none'];
}

export function drawLearner() {
  const select = h('select', {
    id: 'learner', on: { change: () => { choose(select.value); drawOptions(); emit('learner'); } },
  }, tasks().map((task) => h('optgroup', { label: TASKS[task] },
    state.catalogue.learners.filter((each) => each.task === task)
      .map((each) => h('option', { value: each.name, textContent: each.title, selected: each.name === state.learner })))));
  fill($('#learner-choice'), h('label', { for: 'learner', class: 'off-screen', textContent: 'Learner' }), select);
  drawOptions();
}

function drawOptions() {
  const current = learner();
  for (const option of current.options) state.options[option.name] ??= option.start;
  fill($('#learner-options'), current.options.map((option) => slider(
    { ...option, label: option.name.replaceAll('_', ' '), value: state.options[option.name] },
    (value) => { state.options[option.name] = Math.max(option.low, Math.min(option.high, value)); emit('learner'); },
  )));
}
