import { useEffect } from 'preact/hooks'
import { useServices } from '../services/services.ts'

/** Opens the dialog of a new record when the URL has `?new=1`, as in links of the palette. */
export function useOpenNewFromUrl(open: () => void): void {
  const { router } = useServices()
  const isRequested = router.address.value.searchParams.get('new') === '1'
  useEffect(() => {
    if (!isRequested) return
    open()
    router.setQuery({ new: '' })
  }, [isRequested])
}
