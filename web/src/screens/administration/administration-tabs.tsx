import { useServices } from '../../services/services.ts'
import { t } from '../../texts/text.ts'
import { Tabs } from '../../ui/page.tsx'
import { catalogs } from './catalogs.ts'

export const policyPath = '/administration/sign-in'
export const clientsPath = '/clients'

/** Links to the catalogs, the apps and the sign-in policy. `current` is the path of the page. */
export function AdministrationTabs({ current }: { readonly current: string }) {
  const { extensions } = useServices().configuration
  const pages = [
    ...catalogs.map(({ label, path }) => ({ label: t(label), href: `/administration/${path}` })),
    ...(extensions
      ? [
          { label: t('Apps'), href: clientsPath },
          { label: t('Sign-in'), href: policyPath },
        ]
      : []),
  ]
  return (
    <Tabs
      label={t('Administration')}
      tabs={pages.map((page) => ({ ...page, isCurrent: page.href === current }))}
    />
  )
}
