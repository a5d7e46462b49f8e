/** The number of hues of faces. Each has a light and a deep look. */
const faceHues = 12

/** Returns the look of a person, which is the same on every screen. */
export function faceAttributesOf(id: string) {
  const look = hashOf(id) % (2 * faceHues)
  // The hues are between those of stages and labels.
  const hue = ((look % faceHues) + 0.5) * (360 / faceHues)
  return { 'data-color': look < faceHues ? 'face' : 'deep-face', style: { '--hue': String(hue) } }
}

/** Derives a number from an id, so that what depends on it is the same on every screen and device. */
export const hashOf = (id: string): number =>
  [...id].reduce((hash, character) => (hash * 31 + (character.codePointAt(0) ?? 0)) % 9973, 7)
