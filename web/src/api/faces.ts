import { signal } from '@preact/signals'

/** Each of the twelve hues has two looks: a light one and, `hueCount` later, a deep one. */
const hueCount = 12
const lookCount = 2 * hueCount

/** Coprime to the number of hues, so that the steps reach all of them. Successive hues are easily told apart. */
const hueStep = 5

/** Derives a number from an id, so that what depends on it is the same on every screen and device. */
export const hashOf = (id: string): number =>
  [...id].reduce((hash, character) => (hash * 31 + (character.codePointAt(0) ?? 0)) % 9973, 7)

/** Returns the look of a person of whom nothing else is known. */
export const faceLookOf = (id: string): number => hashOf(id) % hueCount

/**
 * Returns the looks of the members of a project, who are in the order in which they joined. A member has the look
 * of `faceLookOf` unless an earlier member has it, so new members change no face.
 */
export function faceLooksOf(ids: readonly string[]): ReadonlyMap<string, number> {
  const taken = new Set<number>()
  return new Map(
    ids.map((id) => {
      if (taken.size === lookCount) taken.clear()
      const tone = taken.size < hueCount ? 0 : hueCount
      const hues = Array.from({ length: hueCount }, (_, step) => (faceLookOf(id) + step * hueStep) % hueCount)
      const look = tone + (hues.find((hue) => !taken.has(tone + hue)) ?? 0)
      taken.add(look)
      return [id, look]
    }),
  )
}

/** Returns the hue of a look, between those of stages and labels, and whether it is deep. */
export const hueOfLook = (look: number) => ({
  hue: ((look % hueCount) + 0.5) * (360 / hueCount),
  isDeep: look >= hueCount,
})

export interface Faces {
  /**
   * Returns the look of the face of a person. A component that calls this is rendered again when `distinguish`
   * changes a look.
   */
  lookOf(id: string): number
  /** Gives the members of a project, in the order in which they joined, looks that differ. */
  distinguish(ids: readonly string[]): void
}

export function createFaces(): Faces {
  const looks = signal<ReadonlyMap<string, number>>(new Map())
  const lookIn = (known: ReadonlyMap<string, number>, id: string) => known.get(id) ?? faceLookOf(id)
  return {
    lookOf: (id) => lookIn(looks.value, id),
    distinguish(ids) {
      const [known, distinct] = [looks.peek(), faceLooksOf(ids)]
      if (ids.some((id) => lookIn(known, id) !== distinct.get(id)))
        looks.value = new Map([...known, ...distinct])
    },
  }
}
