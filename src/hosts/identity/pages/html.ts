/** Markup that is safe to send: only `html` and the texts create it. */
export interface Html {
  readonly markup: string
}

export type HtmlValue = string | Html | readonly Html[]

/** Every value that is not markup is escaped and isolated from the direction of the surrounding text. */
export const html = (parts: TemplateStringsArray, ...values: readonly HtmlValue[]): Html => ({
  markup: parts.reduce((text, part, index) => text + markupOf(values[index - 1] ?? '') + part),
})

export function markupOf(value: HtmlValue): string {
  if (typeof value === 'string')
    return value.replaceAll(directions, '').replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`)
  return 'markup' in value ? value.markup : value.map(({ markup }) => markup).join('')
}

/**
 * Marks, embeddings, overrides and isolates of the Unicode bidirectional algorithm; users' names may contain
 * them.
 */
const directions = /\p{Bidi_Control}/gu
