import { useEffect, useRef } from 'preact/hooks'

/** The element's id of an assignment's card, row or bar, by which useCardFocus finds it. */
export const cardId = (assignmentId: string): string => `card-${assignmentId}`

/**
 * Keeps the focus on one card through every render: when it moves to another column, when a late response moves it back for a
 * short time, or before the board is loaded. Ends as soon as the user moves the focus.
 */
export function useCardFocus(): (id: string) => void {
  const wanted = useRef<string>(undefined)
  const follow = () => {
    const card = wanted.current === undefined ? null : document.getElementById(cardId(wanted.current))
    if (card !== null && isNothingFocused()) card.focus()
  }
  useEffect(() => {
    const onFocus = ({ target }: FocusEvent) => {
      if (target instanceof Element && target.id !== cardId(wanted.current ?? '')) wanted.current = undefined
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

/** The browser moves the focus to the body when the focused element is removed. */
const isNothingFocused = (): boolean =>
  document.activeElement === null || document.activeElement === document.body
