/** The four forms in which .NET writes a Guid as hexadecimal text: N, D, B and P. */
const forms = [
  /^([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})$/i,
  /^\{([0-9a-f]{8})-([0-9a-f]{4})-([0-9a-f]{4})-([0-9a-f]{4})-([0-9a-f]{12})\}$/i,
  /^\(([0-9a-f]{8})-([0-9a-f]{4})-([0-9a-f]{4})-([0-9a-f]{4})-([0-9a-f]{12})\)$/i,
]

/** Whatever form it has, the one that is read; what is no Guid stays as it is, for the field to refuse. */
export function guidIn(given: unknown): unknown {
  if (typeof given !== 'string') return given
  const text = given.trim()
  for (const form of forms) {
    const parts = form.exec(text)
    if (parts) return parts.slice(1).join('-')
  }
  return given
}
