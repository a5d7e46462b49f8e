import type { ComponentChild, ComponentChildren } from 'preact'
import { useErrorBoundary } from 'preact/hooks'

interface GuardedProps {
  readonly children: ComponentChildren
  /** Drawn in place of children that cannot be; `retry` tries them once more. */
  instead(retry: () => void): ComponentChild
}

/** An error of the children ends here, so that whatever else is on the screen stays. */
export function Guarded({ children, instead }: GuardedProps) {
  const [error, retry] = useErrorBoundary((error) => reportError(error))
  return <>{error === undefined ? children : instead(retry)}</>
}
