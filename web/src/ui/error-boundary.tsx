import type { ComponentChild, ComponentChildren } from 'preact'
import { useErrorBoundary } from 'preact/hooks'

interface ErrorBoundaryProps {
  readonly children: ComponentChildren
  /** Replaces children that fail to render; `retry` renders them again. */
  fallback(retry: () => void): ComponentChild
}

/** Renders a fallback if a child throws. The error is kept until `retry`; give it a `key` to reset it with its content. */
export function ErrorBoundary({ children, fallback }: ErrorBoundaryProps) {
  // The browser's global, which reaches window.onerror.
  const [error, retry] = useErrorBoundary((thrown) => globalThis.reportError(thrown))
  return <>{error === undefined ? children : fallback(retry)}</>
}
