import { accessibilityJourneys } from './journeys/accessibility.ts'
import { appearanceJourneys } from './journeys/appearance.ts'
import { widthJourneys } from './journeys/widths.ts'
import { describeInBrowser } from './support/describe-in-browser.ts'

describeInBrowser('Screens', {
  'the appearance': appearanceJourneys,
  accessibility: accessibilityJourneys,
  'all screens': widthJourneys('Portuguese, whose words are longer'),
})
