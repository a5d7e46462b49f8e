import { useEffect, useState } from 'preact/hooks'

/**
 * Returns a part of the client whose script is loaded when it is first needed; undefined until then, and if
 * it cannot be loaded.
 */
export function useLater<Part>(isNeeded: boolean, load: () => Promise<Part>): Part | undefined {
  const [loaded, setLoaded] = useState<{ readonly part: Part }>()
  useEffect(() => {
    if (isNeeded && loaded === undefined)
      load().then(
        (part) => setLoaded({ part }),
        () => undefined,
      )
  }, [isNeeded])
  return loaded?.part
}
