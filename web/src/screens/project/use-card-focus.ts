import { useEffect, useRef } from 'preact/hooks'

/** Returns the `id` attribute of the card, row or bar of an assignment. */
export const assignmentElementId = (assignmentId: string): string => `card-${assignmentId}`

/**
 * Returns a function that keeps the focus on a card until the user moves the focus. A render may replace the
 * element of the card, for example in another column.
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
const isNothingFocused = (): boolean => document.activeElement === document.body
