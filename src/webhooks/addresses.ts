/**
 * Which addresses a webhook may reach: public ones, and networks that the operator has named. Everything else would let
 * whoever registers a webhook reach what only this host can.
 */
import { BlockList, isIP, isIPv4 } from 'node:net';

export interface Network {
  readonly address: string;
  readonly prefix: number;
}

/** IANA's special-purpose registry, and multicast. */
const REFUSED_IPV4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.31.196.0/24',
  '192.52.193.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '192.175.48.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
];
/** All that is global today; the rest holds loopback, mapped and translated IPv4, local and multicast addresses. */
const GLOBAL_IPV6 = '2000::/3';
/** Global addresses that are refused: protocol assignments (Teredo among them), documentation, 6to4. */
const REFUSED_IPV6 = ['2001::/23', '2001:db8::/32', '2002::/16', '2620:4f:8000::/48', '3fff::/20'];

const family = (address: string): 'ipv4' | 'ipv6' => (isIPv4(address) ? 'ipv4' : 'ipv6');

/** As `10.0.0.0/8` or `fd00::/8`; an address alone is itself. Undefined: neither. */
export function parseNetwork(text: string): Network | undefined {
  const [address = '', prefixText, ...rest] = text.split('/');
  const version = address.includes('%') ? 0 : isIP(address);
  if (version === 0 || rest.length > 0) return undefined;
  const longest = version === 4 ? 32 : 128;
  if (prefixText === undefined) return { address, prefix: longest };
  const prefix = /^\d{1,3}$/.test(prefixText) ? Number(prefixText) : NaN;
  return prefix <= longest ? { address, prefix } : undefined;
}

function listOf(networks: readonly Network[]): BlockList {
  const list = new BlockList();
  for (const { address, prefix } of networks) list.addSubnet(address, prefix, family(address));
  return list;
}

const parseAll = (texts: readonly string[]): Network[] => texts.flatMap((text) => parseNetwork(text) ?? []);

const refused = { ipv4: listOf(parseAll(REFUSED_IPV4)), ipv6: listOf(parseAll(REFUSED_IPV6)) };
const globalIpv6 = listOf(parseAll([GLOBAL_IPV6]));

/** Tells of an address, as the system writes it, whether a webhook may reach it. */
export function addressRule(allowed: readonly Network[]): (address: string) => boolean {
  const named = listOf(allowed);
  return (address) => {
    // With a zone it is one of a link.
    if (address.includes('%') || isIP(address) === 0) return false;
    const kind = family(address);
    if (named.check(address, kind)) return true;
    return !refused[kind].check(address, kind) && (kind === 'ipv4' || globalIpv6.check(address, kind));
  };
}
