// Makes elements so that no server text can become markup: text becomes text nodes, and attributes are
// set by name.

/** Makes an element with these properties and children; a child that is no node becomes text. */
export function make(tag, properties = {}, ...children) {
  const element = document.createElement(tag)
  for (const [name, value] of Object.entries(properties)) {
    if (name === 'text') element.textContent = value
    else element.setAttribute(name, value)
  }
  element.append(...children)
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
 * returns it as `node`, with its `update(item)`.
 */
export function keep(body, rows, items, key, build) {
  const wanted = new Map(items.map((item) => [key(item), item]))
  for (const [name, { node }] of rows) {
    if (wanted.has(name)) continue
    node.remove()
    rows.delete(name)
  }
  let next = body.firstChild
  for (const [name, item] of wanted) {
    if (!rows.has(name)) rows.set(name, build(item))
    const { node, update } = rows.get(name)
    update(item)
    if (next === node) next = node.nextSibling
    else body.insertBefore(node, next)
  }
}
