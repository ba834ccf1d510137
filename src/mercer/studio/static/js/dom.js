// Elements: made in one line, and never from strings of markup.

export function h(tag, props = {}, ...children) {
  const element = document.createElement(tag);
  assign(element, props);
  element.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return element;
}

export function svg(tag, props = {}, ...children) {
  const element = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [name, value] of Object.entries(props)) {
    if (name === 'on') listen(element, value);
    else element.setAttribute(name, value);
  }
  element.append(...children.flat());
  return element;
}

function assign(element, props) {
  for (const [name, value] of Object.entries(props)) {
    if (name === 'on') listen(element, value);
    else if (name === 'class') element.className = value;
    else if (name === 'style') Object.assign(element.style, value);
    else if (name.startsWith('aria-') || name.startsWith('data-') || name === 'for' || name === 'role') {
      element.setAttribute(name, value);
    } else element[name] = value;
  }
}

function listen(element, handlers) {
  for (const [event, handler] of Object.entries(handlers)) element.addEventListener(event, handler);
}

export const $ = (selector) => document.querySelector(selector);

export function fill(element, ...children) {
  element.replaceChildren(...children.flat().filter((child) => child !== null && child !== undefined));
  return element;
}

// Words for screen readers: what has changed.
export function announce(text) {
  $('#announcer').textContent = text;
}

let timer = null;
export function toast(text, kind = 'note') {
  const box = $('#toast');
  box.textContent = text;
  box.className = `toast shown ${kind}`;
  clearTimeout(timer);
  timer = setTimeout(() => { box.className = 'toast'; }, kind === 'bad' ? 9000 : 3500);
}

export async function copy(text, what) {
  try {
    await navigator.clipboard.writeText(text);
    toast(`${what} copied`);
  } catch {
    const area = h('textarea', { value: text, class: 'off-screen', 'aria-label': what });
    document.body.append(area);
    area.select();
    const done = document.execCommand('copy');
    area.remove();
    toast(done ? `${what} copied` : 'Copying is not allowed here');
  }
}

export function download(name, text, type) {
  const link = h('a', { href: URL.createObjectURL(new Blob([text], { type })), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}
