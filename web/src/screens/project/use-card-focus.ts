import { useEffect, useRef } from 'preact/hooks'

/**
 * Keeps the focus on one card, however often it is drawn anew: when it moves to another column, when a late answer
 * moves it back for a moment, or when the board is not loaded yet. Ends as soon as the person goes elsewhere.
 */
export function useCardFocus(): (id: string) => void {
  const wanted = useRef<string>(undefined)
  const follow = () => {
    const card = wanted.current === undefined ? null : document.getElementById(`card-${wanted.current}`)
    if (card !== null && isNothingFocused()) card.focus()
  }
  useEffect(() => {
    const onFocus = ({ target }: FocusEvent) => {
      if (target instanceof Element && target.id !== `card-${wanted.current}`) wanted.current = undefined
    }
    const onPointer = () => {
      wanted.current = undefined
    }
    const drawings = new MutationObserver(follow)
    drawings.observe(document.body, { childList: true, subtree: true })
    addEventListener('focusin', onFocus)
    addEventListener('pointerdown', onPointer)
    return () => {
      drawings.disconnect()
      removeEventListener('focusin', onFocus)
      removeEventListener('pointerdown', onPointer)
    }
  }, [])
  return (id) => {
    wanted.current = id
    follow()
  }
}

/** The browser gives the focus to the body when the element that had it is taken away. */
const isNothingFocused = (): boolean =>
  document.activeElement === null || document.activeElement === document.body
