import { useEffect, useState } from 'preact/hooks'

/** Returns whether the media query matches; renders again when that changes. */
export function useMedia(query: string): boolean {
  const [isMatch, setIsMatch] = useState(() => matchMedia(query).matches)
  useEffect(() => {
    const mediaQuery = matchMedia(query)
    const update = () => setIsMatch(mediaQuery.matches)
    update()
    mediaQuery.addEventListener('change', update)
    return () => mediaQuery.removeEventListener('change', update)
  }, [query])
  return isMatch
}
