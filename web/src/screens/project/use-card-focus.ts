import { useEffect, useRef } from 'preact/hooks'

/** The element's id of an assignment's card, row or bar, by which useCardFocus finds it. */
export const assignmentElementId = (assignmentId: string): string => `card-${assignmentId}`

/**
 * Keeps the focus on one card while the board changes: a render may replace its element, for example in
 * another column. Ends as soon as the user moves the focus.
 */
export function useCardFocus(): (id: string) => void {
  const targetId = useRef<string>(undefined)
  const focusTarget = () => {
    const card =
      targetId.current === undefined ? null : document.getElementById(assignmentElementId(targetId.current))
    if (card !== null && isNothingFocused()) card.focus()
  }
  useEffect(() => {
    const onFocus = ({ target }: FocusEvent) => {
      if (target instanceof Element && target.id !== assignmentElementId(targetId.current ?? ''))
        targetId.current = undefined
    }
    const onPointer = () => {
      targetId.current = undefined
    }
    const observer = new MutationObserver(focusTarget)
    observer.observe(document.body, { childList: true, subtree: true })
    addEventListener('focusin', onFocus)
    addEventListener('pointerdown', onPointer)
    return () => {
      observer.disconnect()
      removeEventListener('focusin', onFocus)
      removeEventListener('pointerdown', onPointer)
    }
  }, [])
  return (id) => {
    targetId.current = id
    focusTarget()
  }
}

/** The browser moves the focus to the body when the focused element is removed. */
const isNothingFocused = (): boolean =>
  document.activeElement === null || document.activeElement === document.body
