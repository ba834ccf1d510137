// What the playground is about. Whoever changes it calls `changed`, and listeners hear of it.

export const state = {
  space: 'plane', // or 'curve', 'samples'
  task: 'classes', // or 'values', 'none'
  points: [], // [x, y, class or value]
  window: [-3, 3, -3, 3],
  set: '', // the collection of samples that are no points
  names: [],
  labels: null,
  classes: ['class 1', 'class 2', 'class 3', 'class 4'],
  kernel: 'RBF(length_scale=0.6)',
  block: null,
  learner: 'SVC',
  options: {},
  brush: 0, // the class, or the value, of the next point
  focus: null, // the sample that is pointed at
  order: 'class',
  seed: 0,
  answer: null, // the last one of the worker
  preset: null,
  catalogue: { kernels: [], learners: [], presets: [], chapters: [] },
};

const listeners = new Map();

export function on(event, listener) {
  if (!listeners.has(event)) listeners.set(event, []);
  listeners.get(event).push(listener);
}

export function emit(event, detail) {
  for (const listener of listeners.get(event) ?? []) listener(detail);
}

export function learner() {
  return state.catalogue.learners.find((each) => each.name === state.learner);
}

export function request(extra = {}) {
  const data = { space: state.space, set: state.set };
  if (state.space !== 'samples') data.points = state.points;
  return {
    data,
    kernel: state.kernel,
    learner: { name: state.learner, options: state.options },
    window: state.window,
    order: state.order,
    seed: state.seed,
    focus: state.focus,
    ...extra,
  };
}

export function labelOf(index) {
  if (state.space === 'samples') return state.labels[index];
  return state.space === 'curve' ? 0 : state.points[index][2];
}

export function count() {
  return state.space === 'samples' ? state.names.length : state.points.length;
}

// What a sample is called where it is pointed at.
export function nameOf(index) {
  if (state.space === 'samples') return state.names[index];
  const [x, y, z] = state.points[index];
  const place = `(${x.toFixed(2)}, ${y.toFixed(2)})`;
  if (state.space === 'curve') return place;
  return state.task === 'values' ? `${place}, value ${z.toFixed(2)}` : `${place}, ${state.classes[z] ?? 'sample'}`;
}
