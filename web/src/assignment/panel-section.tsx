import type { ComponentChildren } from 'preact'
import { t } from '../texts/text.ts'
import { ErrorBoundary } from '../ui/error-boundary.tsx'
import { Icon } from '../ui/icon.tsx'

interface PanelSectionProps {
  /** The id of the title begins with this name. */
  readonly name: string
  readonly title: string
  /** An empty section shows only its control for adding content. */
  readonly isEmpty: boolean
  /** Places the section among the fields, with its title next to its content, instead of below them. */
  readonly isField?: boolean
  /** Shown after the title. */
  readonly aside?: ComponentChildren
  /** A button at the end of the line of the title. */
  readonly action?: ComponentChildren
  readonly children: ComponentChildren
}

/** A part of the panel with a title. */
export const PanelSection = ({
  name,
  title,
  isEmpty,
  isField = false,
  aside,
  action,
  children,
}: PanelSectionProps) => {
  const heading = (
    <h3 id={`${name}-title`} class={isEmpty && !isField ? 'visually-hidden' : ''}>
      {title}
      {aside}
    </h3>
  )
  return (
    <section
      class={`${isField ? 'panel-field' : 'panel-section'} ${isEmpty ? 'unfilled' : ''}`}
      aria-labelledby={`${name}-title`}
    >
      {action ? (
        <div class="panel-head">
          {heading}
          {action}
        </div>
      ) : (
        heading
      )}
      {isField ? <div class="panel-values">{children}</div> : children}
    </section>
  )
}

/** A field that looks like a quiet line until it is used. */
export const Adder = ({ children }: { readonly children: ComponentChildren }) => (
  <span class="panel-adder">
    <Icon name="plus" />
    {children}
  </span>
)

/** A section that fails leaves the others usable. */
export const Guard = ({ children }: { readonly children: ComponentChildren }) => (
  <ErrorBoundary
    fallback={(retry) => (
      <div class="panel-section" role="alert">
        <p>{t('This part cannot be shown.')}</p>
        <button type="button" class="button" onClick={retry}>
          {t('Try again')}
        </button>
      </div>
    )}
  >
    {children}
  </ErrorBoundary>
)
