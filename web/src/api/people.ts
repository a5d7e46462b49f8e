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

/** The number of hues of faces. Each has a light and a deep look. */
const faceHues = 18

/** Returns the look of a person, which is the same on every screen. */
export function faceAttributesOf(id: string) {
  const look = hashOf(id) % (2 * faceHues)
  const hue = (look % faceHues) * (360 / faceHues)
  return { 'data-color': look < faceHues ? 'face' : 'deep-face', style: { '--hue': String(hue) } }
}

/** Derives a number from an id, so that what depends on it is the same on every screen and device. */
export const hashOf = (id: string): number =>
  [...id].reduce((hash, character) => (hash * 31 + (character.codePointAt(0) ?? 0)) % 9973, 7)
