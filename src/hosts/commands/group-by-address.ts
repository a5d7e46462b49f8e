import { type Budget, giveBackAll, takeAll } from '../../model/budget.ts'

/** Keeps connections by address, those of an address in the order in which they came. */
export interface AddressGroups<Connection> {
  /** When a budget is exhausted, the oldest connection of the address that has most makes room. */
  add(address: string, connection: Connection): void
  delete(address: string, connection: Connection): void
  /** The oldest one of an address leaves, and the address moves behind all others. */
  takeOldest(address: string): Connection | undefined
  has(address: string): boolean
  addresses(): readonly string[]
  connections(): readonly Connection[]
}

interface Limits<Connection> {
  readonly ofAll: Budget
  readonly ofAddress: Budget
  readonly onRemoved: (connection: Connection) => void
}

export function groupByAddress<Connection>({
  ofAll,
  ofAddress,
  onRemoved,
}: Limits<Connection>): AddressGroups<Connection> {
  const groups = new Map<string, Set<Connection>>()
  const budgetsOf = (address: string) => [{ budget: ofAddress, holder: address }, { budget: ofAll }]
  const remove = (address: string, connection: Connection): void => {
    const group = groups.get(address)
    if (!group?.delete(connection)) return
    giveBackAll(budgetsOf(address))
    if (group.size === 0) groups.delete(address)
  }
  const takeOldest = (address: string): Connection | undefined => {
    const group = groups.get(address)
    if (!group) return undefined
    groups.delete(address)
    groups.set(address, group)
    const [oldest] = group
    if (oldest !== undefined) remove(address, oldest)
    return oldest
  }
  const largest = (): string => {
    let [most = '', size] = ['', 0]
    for (const [address, group] of groups) if (group.size > size) [most, size] = [address, group.size]
    return most
  }
  const makeRoom = (address: string): boolean => {
    const isFull = ofAddress.used(address) >= ofAddress.max
    const removed = takeOldest(isFull ? address : largest())
    if (removed !== undefined) onRemoved(removed)
    return removed !== undefined
  }
  return {
    add(address, connection) {
      while (!takeAll(budgetsOf(address))) if (!makeRoom(address)) return onRemoved(connection)
      const group = groups.get(address) ?? new Set()
      groups.set(address, group.add(connection))
    },
    delete: remove,
    takeOldest,
    has: (address) => groups.has(address),
    addresses: () => [...groups.keys()],
    connections: () => [...groups.values()].flatMap((group) => [...group]),
  }
}
