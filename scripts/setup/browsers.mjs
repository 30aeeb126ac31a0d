// The browsers that tests run in, and Chromium's driver. (Firefox's is a crate: cargo-tools.mjs.)

import { Stop } from '../shell.mjs';
import { findBrowserProgram } from '../toolchain.mjs';
import { installPackages } from './apt.mjs';

/** To test in one more browser: a line here, and its names in toolchain.mjs. */
const browsers = [
  { program: 'chromium', package: 'chromium', elsewhere: 'Chromium or Google Chrome' },
  {
    program: 'chromedriver',
    package: 'chromium-driver',
    elsewhere: 'chromedriver, of the version of your Chrome',
  },
  { program: 'firefox', package: 'firefox-esr', elsewhere: 'Firefox' },
];

export async function setUpBrowsers() {
  const missing = browsers.filter(({ program }) => !findBrowserProgram(program));
  if (missing.length === 0) return;
  await installPackages(
    missing.map((browser) => browser.package),
    { what: 'browsers for the tests', elsewhere: missing.map((browser) => browser.elsewhere).join('; ') },
  );
  const still = missing.find(({ program }) => !findBrowserProgram(program));
  if (still) throw new Stop(`${still.package} is installed, but ${still.program} is not on PATH`);
}
