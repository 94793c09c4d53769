import { expect, test } from 'vitest'
import { createGeocoder } from '#/outside/geocoder.ts'

const geocoder = createGeocoder(undefined)

/** The address as a client writes it; then city, state and ZIP code. */
const SPELLINGS: readonly (readonly [string, string, string, string])[] = [
  // Hyphens, apostrophes, accents
  ['Winston-Salem, NC', 'Winston Salem', 'NC', ''],
  ['winston salem nc', 'Winston Salem', 'NC', ''],
  ['100 W Fourth St, Winston-Salem, NC 27101', 'Winston Salem', 'NC', '27101'],
  ['Wilkes-Barre, PA', 'Wilkes Barre', 'PA', ''],
  ["O'Fallon, IL", 'O Fallon', 'IL', ''],
  ['O’Fallon, IL', 'O Fallon', 'IL', ''],
  ['OFallon IL', 'O Fallon', 'IL', ''],
  ["285 N Seven Hills Rd, O'Fallon, Illinois", 'O Fallon', 'IL', ''],
  ["Coeur d'Alene, ID", 'Coeur D Alene', 'ID', ''],
  ["Land O' Lakes, FL", 'Land O Lakes', 'FL', ''],
  ['Cañon City, CO', 'Canon City', 'CO', ''],
  ['CAÑON CITY, COLORADO', 'Canon City', 'CO', ''],
  ['128 Main St, Cañon City, CO 81212', 'Canon City', 'CO', '81212'],
  ['San José, CA', 'San Jose', 'CA', ''],
  ['Española, NM', 'Espanola', 'NM', ''],
  ['Mayagüez, PR', 'Mayaguez', 'PR', ''],
  ['La Cañada Flintridge, CA', 'La Canada Flintridge', 'CA', ''],
  // Short forms
  ['St. Louis, MO', 'Saint Louis', 'MO', ''],
  ['St Paul MN', 'Saint Paul', 'MN', ''],
  ['Port St. Lucie, FL', 'Port Saint Lucie', 'FL', ''],
  ['Ft. Worth, TX', 'Fort Worth', 'TX', ''],
  ['Mt. Vernon, NY', 'Mount Vernon', 'NY', ''],
  ['N. Las Vegas, NV', 'North Las Vegas', 'NV', ''],
  ['W Palm Beach, FL', 'West Palm Beach', 'FL', ''],
  ['1200 Main St, Charlotte, N. Carolina', 'Charlotte', 'NC', ''],
  ['Morgantown, W. Virginia', 'Morgantown', 'WV', ''],
  ['Washington, D.C.', 'Washington', 'DC', ''],
  ['1600 Pennsylvania Ave NW, Washington DC 20500', 'Washington', 'DC', '20500'],
  ['Washington, District of Columbia', 'Washington', 'DC', ''],
  // Territories
  ['San Juan, Puerto Rico', 'San Juan', 'PR', ''],
  ['100 Calle San Francisco, San Juan, Puerto Rico 00901, USA', 'San Juan', 'PR', '00901'],
  ['San Juan 00901, Puerto Rico', 'San Juan', 'PR', '00901'],
  ['Christiansted, U.S. Virgin Islands', 'Christiansted', 'VI', ''],
  // A city alone: the largest of that name
  ['Madison', 'Madison', 'WI', ''],
  ['madison', 'Madison', 'WI', ''],
  ['Madison, USA', 'Madison', 'WI', ''],
  ['New York', 'New York', 'NY', ''],
  ['Washington', 'Washington', 'DC', ''],
  ['Brooklyn', 'Brooklyn', 'NY', ''],
  ['Des Moines', 'Des Moines', 'IA', ''],
  ['St. Paul', 'Saint Paul', 'MN', ''],
  ['Winston-Salem', 'Winston Salem', 'NC', ''],
  ['Chicago', 'Chicago', 'IL', ''],
  ['Los Angeles, United States', 'Los Angeles', 'CA', ''],
  ['316 W Washington Ave, Madison', 'Madison', 'WI', ''],
  ['12345 Main St, Madison', 'Madison', 'WI', ''],
  ['98 Chambers St, New York', 'New York', 'NY', ''],
  // A ZIP code anywhere
  ['53703', 'Madison', 'WI', '53703'],
  ['53703-4212', 'Madison', 'WI', '53703'],
  ['1 Main St, Madison, WI 53703–4212', 'Madison', 'WI', '53703'],
  ['1 Main St, Madison, WI 53703 4212', 'Madison', 'WI', '53703'],
  ['1 Main St, Madison, WI 537034212', 'Madison', 'WI', '53703'],
  [' 53703 ', 'Madison', 'WI', '53703'],
  // Five digits, a hyphen and an empty ZIP+4.
  ['53703-', 'Madison', 'WI', '53703'],
  ['1 Main St, Madison, WI 53703-, USA', 'Madison', 'WI', '53703'],
  ['53703 Madison', 'Madison', 'WI', '53703'],
  ['53703, Madison', 'Madison', 'WI', '53703'],
  ['Madison 53703 WI', 'Madison', 'WI', '53703'],
  ['Madison, 53703, Wisconsin', 'Madison', 'WI', '53703'],
  ['316 W Washington Ave 53703 Madison WI', 'Madison', 'WI', '53703'],
  ['316 W Washington Ave (53703), second floor', 'Madison', 'WI', '53703'],
  ['ZIP 53703 please', 'Madison', 'WI', '53703'],
  ['Madison, WI53703', 'Madison', 'WI', '53703'],
  ['Madison, WI-53703', 'Madison', 'WI', '53703'],
  ['12345 Main St, Madison, WI', 'Madison', 'WI', ''],
  // A country at the end
  ['316 W Washington Ave, Madison, WI 53703, USA', 'Madison', 'WI', '53703'],
  ['316 W Washington Ave, Madison, WI 53703 US', 'Madison', 'WI', '53703'],
  ['Madison, WI, U.S.A.', 'Madison', 'WI', ''],
  ['Madison, Wisconsin, United States of America', 'Madison', 'WI', ''],
  ['53703 United States', 'Madison', 'WI', '53703'],
  // Other separators, case and blanks
  ['316 W Washington Ave\nMadison, WI 53703', 'Madison', 'WI', '53703'],
  ['316 W Washington Ave; Madison; WI; 53703', 'Madison', 'WI', '53703'],
  ['316 W Washington Ave - Madison - WI', 'Madison', 'WI', ''],
  ['MADISON / WI', 'Madison', 'WI', ''],
  ['  madison ,  wi  ', 'Madison', 'WI', ''],
  ['350 5th Ave, New York, NY 10118', 'New York', 'NY', '10118'],
  ['1 Dr Carlton B Goodlett Pl, San Francisco, CA 94102', 'San Francisco', 'CA', '94102'],
  ['600 Congress Ave, Austin, Texas', 'Austin', 'TX', ''],
]

test.each(SPELLINGS)('reads %j', async (address, city, state, zip) => {
  const place = await geocoder.locate(address)
  expect([place?.city, place?.state, place?.zip]).toEqual([city, state, zip])
})

test('the table has at least 60 spellings', () => {
  expect(SPELLINGS.length).toBeGreaterThanOrEqual(60)
})

test.each([
  ['a city name of several cities of similar size, after a street', '1 Main St, Springfield'],
  ['a street whose last word is a city', '1 Main Street'],
  ['a city that is not in the state', 'Chicago, WI'],
  ['a state after a street, also if a city elsewhere has its name', '1 Main St, Indiana'],
  ['a place outside the USA', 'Hauptstraße 1, Berlin'],
  ['a place that does not exist', 'Atlantis, ZZ'],
  ['a house number that is a ZIP code of another state', '10001 County Road K, Atlantis, WI'],
  ['a house number that is a ZIP code, before an unknown ZIP code', '10001 County Road K, 00001'],
])('returns no place for %s', async (_, address) => {
  expect(await geocoder.locate(address)).toBeNull()
})

test('the street is the text before ZIP code, city and state', async () => {
  for (const [address, street] of [
    ['316 W Washington Ave, Madison, WI 53703', '316 W Washington Ave'],
    ['316 W Washington Ave 53703 Madison WI', '316 W Washington Ave'],
    ['12345 Main St, Madison', '12345 Main St'],
    ['Winston-Salem, NC', ''],
  ] as const)
    expect((await geocoder.locate(address))?.streetAddress).toBe(street)
})
