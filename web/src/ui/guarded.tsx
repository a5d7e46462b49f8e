import type { ComponentChild, ComponentChildren } from 'preact'
import { useErrorBoundary } from 'preact/hooks'

interface GuardedProps {
  readonly children: ComponentChildren
  /** Replaces children that fail to render; `retry` renders them again. */
  instead(retry: () => void): ComponentChild
}

/** Contains errors of the children, so that the rest of the screen stays. */
export function Guarded({ children, instead }: GuardedProps) {
  const [error, retry] = useErrorBoundary((error) => reportError(error))
  return <>{error === undefined ? children : instead(retry)}</>
}
