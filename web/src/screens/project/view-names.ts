import { useMemo } from 'preact/hooks'
import { catalogQuery, useListing } from '../../data/use-listing.ts'
import { useServices } from '../../services/services.ts'

/** How what an assignment refers to is called. */
export interface ViewNames {
  readonly types: readonly { readonly id: string; readonly name: string }[]
  stageOf(id: string): string
  typeOf(id: string): string
  personOf(id: string): string
}

export function useViewNames({ stages }: { readonly stages: ViewNames['types'] }): ViewNames {
  const { people } = useServices()
  const types = useListing('assignmentType', catalogQuery).rows
  return useMemo(() => {
    const nameIn = (rows: ViewNames['types'], id: string) => rows.find((row) => row.id === id)?.name ?? '…'
    return {
      types,
      stageOf: (id) => nameIn(stages, id),
      typeOf: (id) => nameIn(types, id),
      personOf: people.nameOf,
    }
  }, [stages, types, people])
}
