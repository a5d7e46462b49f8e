import type { ComponentChildren } from 'preact'
import { Icon } from '../ui/icon.tsx'

interface PanelSectionProps {
  /** Distinguishes its title from those of the other sections. */
  readonly name: string
  readonly title: string
  /** Without content, only the line that adds some is visible. */
  readonly isEmpty: boolean
  /** Stands among the fields, its title beside its content, instead of below them with a heading. */
  readonly isField?: boolean
  /** Shown after the title. */
  readonly aside?: ComponentChildren
  readonly children: ComponentChildren
}

/** A part of the panel with a title. */
export const PanelSection = ({
  name,
  title,
  isEmpty,
  isField = false,
  aside,
  children,
}: PanelSectionProps) => (
  <section
    class={`${isField ? 'panel-field' : 'panel-section'} ${isEmpty ? 'unfilled' : ''}`}
    aria-labelledby={`${name}-title`}
  >
    <h3 id={`${name}-title`} class={isEmpty && !isField ? 'visually-hidden' : ''}>
      {title}
      {aside}
    </h3>
    {children}
  </section>
)

/** A field that looks like a quiet line until it is used. */
export const Adder = ({ children }: { readonly children: ComponentChildren }) => (
  <span class="panel-adder">
    <Icon name="plus" />
    {children}
  </span>
)
