import { useServices } from '../../services/services.ts'
import { t } from '../../texts/text.ts'
import { Tabs } from '../../ui/tabs.tsx'

/** Sums come from the extensions; without them the weeks are all there is. */
export function ReportTabs() {
  const { configuration, router } = useServices()
  const path = router.address.value.pathname
  if (!configuration.extensions) return null
  const tabs = [
    { label: t('Week by week'), href: '/reports', isCurrent: path === '/reports' },
    { label: t('By person, project or type'), href: '/reports/sums', isCurrent: path === '/reports/sums' },
  ]
  return <Tabs label={t('Kind of report')} tabs={tabs} />
}
