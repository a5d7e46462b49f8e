import type { Listing, View } from './listing.ts'

/** One listing for all who see the same of the same query. */
export interface SharedListings {
  all(): Iterable<Listing>
  readonly isEmpty: boolean
  /** Makes it for its first user and closes it after its last. */
  use(view: View): { readonly listing: Listing; leave(): void }
}

export function createSharedListings(create: (view: View) => Listing): SharedListings {
  const listings = new Map<string, Listing>()
  /** Streams, and the requests that are about to become one. */
  const users = new Map<Listing, number>()
  return {
    all: () => listings.values(),
    get isEmpty() {
      return listings.size === 0
    },
    use(view) {
      const { key } = view
      const listing = listings.get(key) ?? create(view)
      listings.set(key, listing)
      users.set(listing, (users.get(listing) ?? 0) + 1)
      return {
        listing,
        leave() {
          const others = (users.get(listing) ?? 0) - 1
          users.set(listing, others)
          if (others > 0) return
          users.delete(listing)
          listings.delete(key)
          listing.close()
        },
      }
    },
  }
}
