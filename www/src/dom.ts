// The one way this page makes elements: text always goes in as text, never as markup.

type Child = Node | string | null;
type Attributes = Record<string, string | number | boolean | null>;

/** An element with attributes (`true` sets an empty one, `false` and `null` leave it out) and children. */
export function h<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[Tag] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === false || value === null) continue;
    element.setAttribute(name, value === true ? '' : String(value));
  }
  element.append(...children.filter((child) => child !== null));
  return element;
}

/** The element of index.html with this id. */
export function byId<Type extends HTMLElement>(id: string, type: abstract new () => Type): Type {
  const element = document.getElementById(id);
  if (!(element instanceof type)) throw new Error(`index.html has no ${type.name} #${id}`);
  return element;
}

export function button(label: string, attributes: Attributes, onClick: () => void): HTMLButtonElement {
  const element = h('button', { type: 'button', ...attributes }, label);
  element.addEventListener('click', onClick);
  return element;
}
