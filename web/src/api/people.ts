import { type Signal, signal } from '@preact/signals'
import { limits, type Person, TrackerError } from '#tracker-client'
import type { Configuration } from '../session/configuration.ts'
import type { Session } from '../session/session.ts'
import type { Api } from './api.ts'
import type { LastSeen } from './last-seen.ts'
import { byId, chunksOf } from './load-all.ts'
import { isOutage } from './problems.ts'

export interface People {
  /**
   * Returns the name of the person, or a placeholder while it is unknown. A component that calls this is
   * rendered again when the name arrives.
   */
  nameOf(id: string): string
  /**
   * Returns undefined until the name is known, and an empty text for a person whom the caller may not see.
   */
  findName(id: string): string | undefined
  /** Requests the names of people that will be shown soon. */
  requestNames(ids: Iterable<string>): void
  /** Resolves when the names are known or unavailable. Used by layouts that would move when names arrive. */
  waitForNames(ids: Iterable<string>): Promise<unknown>
  /** Finds at most `max` people by name, after the matching people whose ids are in `first`. */
  search(
    text: string,
    signal?: AbortSignal,
    options?: { readonly first?: readonly string[]; readonly max?: number },
  ): Promise<readonly Person[]>
}

/** The number of people that a picker shows. Users type more to find others. */
const suggestionsMax = 20

/** Caches the names of people. Names that are needed at the same time are requested together. */
export function createPeople(
  api: Api,
  session: Session,
  { extensions }: Configuration,
  lastSeen: LastSeen,
): People {
  const names = new Map<string, Signal<string | undefined>>()
  let queued: string[] = []
  const find = createPersonSearch(api, session, extensions)
  const nameSignal = (id: string) => {
    const cached = names.get(id)
    if (cached !== undefined) return cached
    const name = signal<string | undefined>(undefined)
    names.set(id, name)
    if (queued.push(id) === 1) queueMicrotask(requestQueued)
    return name
  }
  const cacheNames = (people: readonly Person[]) => {
    for (const { id, name } of people) {
      const cached = names.get(id)
      if (cached === undefined) names.set(id, signal(name))
      else cached.value = name
    }
    return people
  }
  /** Drops names that could not be loaded. The next render requests them again. */
  const dropUnknown = (ids: readonly string[]) => {
    for (const id of ids) if (names.get(id)?.peek() === undefined) names.delete(id)
  }
  let pending: Promise<unknown> = Promise.resolve()
  const requestQueued = () => {
    const ids = queued
    queued = []
    const requests: Promise<unknown>[] = [pending]
    for (const chunk of chunksOf(ids, limits.ids)) {
      const request = find({ ids: chunk.join(','), pageSize: limits.ids }).then(
        (found) => {
          cacheNames(found)
          void keepNames(lastSeen, found)
          for (const id of chunk) {
            const name = names.get(id)
            if (name !== undefined) name.value ??= ''
          }
        },
        async (error) => {
          if (isOutage(error)) cacheNames(await recallPeople(lastSeen, chunk))
          dropUnknown(chunk)
        },
      )
      requests.push(request)
    }
    pending = Promise.all(requests)
  }
  const findName = (id: string) => {
    const self = session.person.value
    return id === self?.id ? self.name : nameSignal(id).value
  }
  const requestNames = (ids: Iterable<string>) => {
    for (const id of ids) if (id !== session.person.peek()?.id) nameSignal(id)
  }
  return {
    findName,
    nameOf: (id) => findName(id) || '…',
    requestNames,
    async waitForNames(ids) {
      requestNames(ids)
      // Names are requested in a microtask, so `pending` includes them only after one.
      await Promise.resolve()
      await pending
    },
    async search(text, abort, { first = [], max = suggestionsMax } = {}) {
      const query = { search: text, pageSize: max }
      const results = await Promise.all([
        ...chunksOf(first, limits.ids).map((ids) => find({ ...query, ids: ids.join(',') }, abort)),
        find(query, abort),
      ])
      return cacheNames([...byId(results.flat()).values()])
    },
  }
}

type KeptNames = ReadonlyMap<string, string>
const keptKey = 'people'
/** More people than most users ever see. */
const keptMax = 2000

/** Adds names to the stored names, which are shown without a network. */
async function keepNames(lastSeen: LastSeen, people: readonly Person[]): Promise<void> {
  const kept = (await lastSeen.recall<KeptNames>(keptKey)) ?? []
  const all = new Map([...kept, ...people.map(({ id, name }) => [id, name] as const)])
  lastSeen.keep(keptKey, new Map([...all].slice(-keptMax)))
}

async function recallPeople(lastSeen: LastSeen, ids: readonly string[]): Promise<Person[]> {
  const kept = await lastSeen.recall<KeptNames>(keptKey)
  return ids.flatMap((id) => {
    const name = kept?.get(id)
    return name === undefined ? [] : [{ id, name }]
  })
}

interface PersonQuery {
  readonly search?: string
  readonly ids?: string
  readonly pageSize: number
}

/** Without the extensions, only administrators can read names, so other users find only their own. */
function createPersonSearch(api: Api, session: Session, extensions: boolean) {
  let hasPeopleRoute = extensions
  const findWithoutExtensions = async (
    query: PersonQuery,
    abort?: AbortSignal,
  ): Promise<readonly Person[]> => {
    const self = session.person.peek()
    if (self?.isAdministrator) return (await api.list('user', { ...query, sortColumn: 'name' }, abort)).data
    const isFound = self?.name.toLowerCase().includes(query.search?.toLowerCase() ?? '') ?? false
    return self !== undefined && isFound ? [self] : []
  }
  return async (query: PersonQuery, abort?: AbortSignal): Promise<readonly Person[]> => {
    if (!hasPeopleRoute) return findWithoutExtensions(query, abort)
    try {
      return (await api.people(query, abort)).data
    } catch (error) {
      if (!(error instanceof TrackerError && error.status === 404)) throw error
      hasPeopleRoute = false
      return findWithoutExtensions(query, abort)
    }
  }
}

const facesKey = 'tracker.faces'
/** More people than most users see in a week. */
const facesMax = 300
/** The faces that this browser has given to people, by their ids. Unit tests have no storage. */
const faces = new Map<string, number>(JSON.parse(globalThis.localStorage?.getItem(facesKey) ?? '[]'))

/** The hues of faces are 40 degrees apart. Each is used light and deep, and so are the hues between them. */
const faceHues = 9

/**
 * Returns the look of a person, which is the same on every screen. A browser gives the first nine people that it shows
 * different hues, and the first 36 different looks: a look that depended on the id alone would often be that of another
 * member of a small project.
 */
export function faceAttributesOf(id: string) {
  const face = faces.get(id) ?? giveFace(id)
  const variant = Math.floor(face / faceHues)
  return {
    'data-color': variant % 2 ? 'deep-face' : 'face',
    style: { '--hue': String((face % faceHues) * 40 + (variant & 2) * 10) },
  }
}

/** Gives a person the hue of the fewest people. The search for it begins at a hue that depends on the id. */
function giveFace(id: string): number {
  const givenTo = (hue: number) => [...faces.values()].filter((face) => face % faceHues === hue).length
  let hue = hashOf(id) % faceHues
  const fewest = Math.floor(faces.size / faceHues)
  while (givenTo(hue) > fewest) hue = (hue + 4) % faceHues
  const face = hue + faceHues * (givenTo(hue) % 4)
  faces.set(id, face)
  globalThis.localStorage?.setItem(facesKey, JSON.stringify([...faces].slice(-facesMax)))
  return face
}

/** Derives a number from an id, so that what depends on it is the same on every screen and device. */
export const hashOf = (id: string): number =>
  [...id].reduce((hash, character) => (hash * 31 + (character.codePointAt(0) ?? 0)) % 9973, 7)
