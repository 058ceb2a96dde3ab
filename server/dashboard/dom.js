// Makes elements so that no server text can become markup: text becomes text nodes, and attributes are
// set by name.

/** Makes an element with these properties and children; a child that is no node becomes text. */
export function make(tag, properties = {}, ...children) {
  return fill(document.createElement(tag), properties, children)
}

/** Makes an SVG element. */
export function draw(tag, properties = {}, ...children) {
  return fill(document.createElementNS('http://www.w3.org/2000/svg', tag), properties, children)
}

function fill(element, properties, children) {
  for (const [name, value] of Object.entries(properties)) {
    if (name === 'text') element.textContent = value
    else if (name.startsWith('on')) element.addEventListener(name.slice(2), value)
    else if (value !== undefined && value !== false) element.setAttribute(name, value === true ? '' : value)
  }
  element.append(...children.filter((child) => child !== undefined))
  return element
}

/** The element with this id. */
export const at = (id) => document.getElementById(id)

/** Sets a text, unless it is there already: a screen reader would repeat it. */
export function say(element, text) {
  if (element.textContent !== text) element.textContent = text
}

/**
 * Keeps a row for each item, in order. An existing row stays, with its focus: `build` makes a row and
 * returns its `update(item)`.
 */
export function keep(body, rows, items, key, build) {
  const wanted = new Map(items.map((item) => [key(item), item]))
  for (const [name, row] of rows) {
    if (!wanted.has(name)) {
      row.nodes.forEach((node) => node.remove())
      rows.delete(name)
    }
  }
  let last = null
  for (const [name, item] of wanted) {
    if (!rows.has(name)) rows.set(name, build(item))
    const row = rows.get(name)
    row.update(item)
    for (const node of row.nodes) {
      const next = last ? last.nextSibling : body.firstChild
      if (next !== node) body.insertBefore(node, next)
      last = node
    }
  }
}
