import type { ComponentChildren } from 'preact'

export interface ProviderLinkProps {
  readonly href: string
  readonly class?: string
  readonly children: ComponentChildren
}

/** Leaves for a page of the provider: the router must not take it for one of its own where all hosts share an address. */
export const ProviderLink = ({ children, ...props }: ProviderLinkProps) => (
  <a target="_self" {...props}>
    {children}
  </a>
)
