import { type Signal, signal } from '@preact/signals'
import { limits, type Person, TrackerError } from '#tracker-client'
import type { Configuration } from '../session/configuration.ts'
import type { Session } from '../session/session.ts'
import type { Api } from './api.ts'
import { byId } from './load-all.ts'

export interface People {
  /**
   * The name of the person; a placeholder until it is known, or where it is unavailable. Reading it in a component keeps it
   * current.
   */
  nameOf(id: string): string
  /** The name, or undefined until it is known; empty for a person whom the caller does not see. */
  findName(id: string): string | undefined
  /** The colour of this person, by number; the first twelve people get different ones. */
  tintOf(id: string): number
  /** Resolves when their names are known or unavailable: for layouts that would move when names arrive. */
  known(ids: Iterable<string>): Promise<unknown>
  /** Finds people by name; `first` are ids of those who come first. */
  search(text: string, signal?: AbortSignal, first?: readonly string[]): Promise<readonly Person[]>
}

/** The number that a picker shows at once; others are found by typing. */
const suggestionsMax = 20

/** The number of colours in the style sheet. */
export const tintCount = 12

export const hashOf = (text: string): number =>
  [...text].reduce((sum, character) => (sum * 31 + (character.codePointAt(0) ?? 0)) % 9973, 7)

/** Names are requested together, once for each person. */
export function createPeople(api: Api, session: Session, { extensions }: Configuration): People {
  const names = new Map<string, Signal<string | undefined>>()
  let wanted: string[] = []
  const find = createSource(api, session, extensions)
  const nameSignal = (id: string) => {
    const known = names.get(id)
    if (known !== undefined) return known
    const name = signal<string | undefined>(undefined)
    names.set(id, name)
    if (wanted.push(id) === 1) queueMicrotask(askForWanted)
    return name
  }
  const learn = (people: readonly Person[]) => {
    for (const { id, name } of people) {
      const known = names.get(id)
      if (known === undefined) names.set(id, signal(name))
      else known.value = name
    }
    return people
  }
  let asking: Promise<unknown> = Promise.resolve()
  const askForWanted = () => {
    const ids = wanted
    wanted = []
    const asked: Promise<unknown>[] = [asking]
    for (const some of chunksOf(ids)) {
      const finding = find({ ids: some.join(','), pageSize: limits.ids }).then(
        (found) => {
          learn(found)
          for (const id of some) {
            const name = names.get(id)
            if (name !== undefined) name.value ??= ''
          }
        },
        () => {
          // Requested again at the next render: the failure may have ended by then.
          for (const id of some) names.delete(id)
        },
      )
      asked.push(finding)
    }
    asking = Promise.all(asked)
  }
  const findName = (id: string) => {
    const self = session.person.value
    return id === self?.id ? self.name : nameSignal(id).value
  }
  return {
    findName,
    nameOf: (id) => findName(id) || '…',
    tintOf: createTints(),
    async known(ids) {
      for (const id of ids) findName(id)
      // The requests of this turn are collected before they are sent.
      await Promise.resolve()
      await asking
    },
    async search(text, abort, first = []) {
      const query = { search: text, pageSize: suggestionsMax }
      const found = await Promise.all([
        ...chunksOf(first).map((ids) => find({ ...query, ids: ids.join(',') }, abort)),
        find(query, abort),
      ])
      return learn([...byId(found.flat()).values()])
    },
  }
}

/** Parts that fit into a request each. */
const chunksOf = (ids: readonly string[]): string[][] =>
  Array.from({ length: Math.ceil(ids.length / limits.ids) }, (_, index) =>
    ids.slice(index * limits.ids, (index + 1) * limits.ids),
  )

/** Assigns different colours to the first people, then reuses them in turn. */
function createTints(): (id: string) => number {
  const tints = new Map<string, number>()
  return (id) => {
    const known = tints.get(id)
    if (known !== undefined) return known
    const taken = new Set(tints.values())
    const wanted = hashOf(id) % tintCount
    const free = Array.from({ length: tintCount }, (_, step) => (wanted + step) % tintCount).find(
      (tint) => !taken.has(tint),
    )
    tints.set(id, free ?? wanted)
    return free ?? wanted
  }
}

interface Wanted {
  readonly search?: string
  readonly ids?: string
  readonly pageSize: number
}

/** Only administrators can read names without the extensions; other users know their own. */
function createSource(api: Api, session: Session, extensions: boolean) {
  let hasPeople = extensions
  const findOnServer = async (wanted: Wanted, abort?: AbortSignal): Promise<readonly Person[]> => {
    const self = session.person.peek()
    if (self?.isAdministrator) return (await api.list('user', { ...wanted, sortColumn: 'name' }, abort)).data
    const isFound = self?.name.toLowerCase().includes(wanted.search?.toLowerCase() ?? '') ?? false
    return self !== undefined && isFound ? [self] : []
  }
  return async (wanted: Wanted, abort?: AbortSignal): Promise<readonly Person[]> => {
    if (!hasPeople) return findOnServer(wanted, abort)
    try {
      return (await api.people(wanted, abort)).data
    } catch (error) {
      if (!(error instanceof TrackerError && error.status === 404)) throw error
      hasPeople = false
      return findOnServer(wanted, abort)
    }
  }
}
