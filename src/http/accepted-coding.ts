/** Whether an `Accept-Encoding` header takes a coding, by its own name. */
export function acceptsCoding(accepted: string | string[] | undefined, coding: string): boolean {
  return String(accepted ?? '')
    .split(',')
    .some((part) => {
      const [name = '', ...parameters] = part.split(';').map((text) => text.trim())
      return name.toLowerCase() === coding && !parameters.some((parameter) => /^q=0(\.0*)?$/i.test(parameter))
    })
}
