import type { ComponentChild, ComponentChildren } from 'preact'
import { useErrorBoundary, useRef } from 'preact/hooks'

interface ErrorBoundaryProps {
  readonly children: ComponentChildren
  /** Identifies the content of the children. When it changes, children that failed are rendered again. */
  readonly content?: unknown
  /** Replaces children that fail to render; `retry` renders them again. */
  fallback(retry: () => void): ComponentChild
}

/** Renders a fallback if a child throws, until `retry` is called or the content changes. */
export function ErrorBoundary({ children, content, fallback }: ErrorBoundaryProps) {
  const failed = useRef<unknown>(undefined)
  const [error, retry] = useErrorBoundary((thrown) => {
    failed.current = content
    // This global function of the browser passes the error to window.onerror.
    globalThis.reportError(thrown)
  })
  return <>{error === undefined || failed.current !== content ? children : fallback(retry)}</>
}
