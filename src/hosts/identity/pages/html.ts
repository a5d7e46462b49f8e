/** Markup that is safe to send: made by `html` only. */
export interface Html {
  readonly markup: string
}

type Value = string | Html | readonly Html[]

/** Every value that is no markup is escaped. */
export const html = (parts: TemplateStringsArray, ...values: readonly Value[]): Html => ({
  markup: parts.reduce((text, part, index) => text + show(values[index - 1] ?? '') + part),
})

function show(value: Value): string {
  if (typeof value === 'string') return value.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`)
  return 'markup' in value ? value.markup : value.map(({ markup }) => markup).join('')
}
