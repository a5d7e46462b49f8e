/**
 * Markup that is safe to send. By convention only this folder creates it: `html`, the translations and the
 * style.
 */
export interface Html {
  readonly markup: string
}

export type HtmlValue = string | Html | readonly Html[]

/**
 * Creates markup. Values that are not markup are escaped, and lose their bidirectional control characters.
 */
export const html = (parts: TemplateStringsArray, ...values: readonly HtmlValue[]): Html => ({
  markup: parts.reduce((text, part, index) => text + markupOf(values[index - 1] ?? '') + part),
})

export function markupOf(value: HtmlValue): string {
  if (typeof value === 'string')
    return value
      .replaceAll(bidiControls, '')
      .replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
  return 'markup' in value ? value.markup : value.map(({ markup }) => markup).join('')
}

/**
 * Marks, embeddings, overrides and isolates of the Unicode bidirectional algorithm. In a user's name they
 * could reorder the surrounding text.
 */
const bidiControls = /\p{Bidi_Control}/gu
