"""What the judge knows of language: general words, never names of the facts it judges.

All words are folded (see ``text.fold``). English first; other languages where one word decides.
"""

HONORIFICS = frozenset(
    "pak bu bapak ibu shri sri shrimati tun datuk dato datin khun daw bey agha hh hrh hm "
    "mr mrs ms miss mx dr prof professor sir dame lord lady hon honourable honorable rt right "
    "excellency majesty highness royal holiness eminence his her their our general gen colonel col "
    "captain major admiral marshal lieutenant herr frau monsieur madame mme senor senora sr dona don "
    "signor signora ayatollah imam sheikh shaikh shaykh sheik haji hajj maulana mullah rabbi reverend "
    "rev saint st blessed engineer eng ing dipl mag".split()
)
"""Said before a name without being part of it."""

TITLES = frozenset(
    "president presidente prasident vice premier prime minister ministre ministro ministerprasident "
    "chancellor kanzler kanzlerin bundeskanzler bundeskanzlerin bundesprasident taoiseach king queen "
    "konig konigin rey reina roi reine emperor empress tsar czar prince princess duke duchess pope papa "
    "monarch sultan emir amir shah governor secretary general chairman chairwoman chairperson chair "
    "chief executive officer ceo cfo coo director manager founder cofounder head leader supreme speaker "
    "senator congressman congresswoman mayor ambassador representative deputy interim acting caretaker "
    "former ex current incumbent outgoing new late then coach trainer captain striker forward "
    "midfielder defender goalkeeper winger driver player guard star democrat republican".split()
)
"""Roles: they may stand right beside a name."""

FUNCTION_WORDS = frozenset(
    "the a an this that these those it its he she they we i you who whom whose which what when where "
    "why how is are was were be been being am has have had do does did will would shall should can "
    "could may might must and or but nor so yet if then than as at by for from in into of on onto to "
    "with without over under about after before since until till during between against through not no "
    "yes ok okay sure certainly currently now today still also only just even again once here there "
    "there's answer name named called person response note however although though while because "
    "according based despite given as-of my me mr your his her their our le la les el los las der die "
    "das den dem il lo un une uno una ein eine o os de du des da del della dal y e et und est es ist "
    "era war esta sont son sind actuel actual aktuell aktuelle nuovo".split()
)
"""Words that carry a capital only at the start of a sentence, and never make a longer name."""

PARTICLES = frozenset(
    "al el ul as ad an ash bin ben ibn bint abu de da do dos das di du del della dello der den van von "
    "zu zum vom la le los las ter ten af av e y i st ould of the".split()
)
"""Small words inside personal names; left out when names are compared."""

ARTICLES = frozenset("al el ul as ash an ad ar at az".split())
"""The Arabic article as it is written in Latin letters."""

TEAM_PARTICLES = frozenset("al el the of de da do di del ad".split())
"""Articles inside teams' names."""

GIVEN_PARTICLES = frozenset("ben an as ad ash y e i av af ten ter".split())
"""Particles that at the start of a name are a given name or a surname."""

GENERATIONS = frozenset({"jr", "junior", "sr", "senior", "ii", "iii", "iv", "v"})
"""What tells a father from a son of the same name."""

ROMAN = frozenset(
    "i ii iii iv v vi vii viii ix x xi xii xiii xiv xv xvi xvii xviii xix xx xxi xxii xxiii".split()
)

ORDINALS = {
    "first": "i", "second": "ii", "third": "iii", "fourth": "iv", "fifth": "v", "sixth": "vi",
    "seventh": "vii", "eighth": "viii", "ninth": "ix", "tenth": "x", "eleventh": "xi",
    "twelfth": "xii", "thirteenth": "xiii", "fourteenth": "xiv", "fifteenth": "xv", "sixteenth": "xvi",
    "1st": "i", "2nd": "ii", "3rd": "iii", "4th": "iv", "5th": "v", "6th": "vi", "7th": "vii",
    "8th": "viii", "9th": "ix", "10th": "x", "11th": "xi", "12th": "xii", "13th": "xiii",
    "14th": "xiv", "15th": "xv", "16th": "xvi",
}  # fmt: skip
"""Regnal numbers as words."""

ORDINARY = frozenset(
    "may march april june august will can must might shall wood woods stone rice bush brown green white "
    "black gray grey young king queen prince duke pope bishop abbot baker cook carpenter smith taylor "
    "fisher hunter farmer miller law banks bank hill hills field fields park parks moon sun star day "
    "winter summer spring frost snow rain storm church temple castle house hall gates gate bridges "
    "bridge rivers river lake ford long short small little strong wise good best better rich power "
    "powers price prices cash money gold silver bell bells bird wolf fox lamb swan page pages read reed "
    "bond love hope grace joy faith pain case cases west east north south noble savage sharp blunt "
    "quick swift early late first last major minor general marshal judge sergeant post mark marks bill "
    "rob sue pat art grant frank ernest dean earl guy jack ray rose iris ivy lily daisy pearl ruby "
    "amber dawn eve oh english french german spanish irish welsh polish dutch an so no do he she in on "
    "at to by up me my we us you it be am as or if of xi li hu ma le la ng ha yes".split()
)
"""Everyday words that are surnames as well: alone they count as a name only when written like one."""

MONTHS = frozenset(
    "january february march april may june july august september october november december jan feb mar "
    "apr jun jul aug sep sept oct nov dec".split()
)

TEAM_AFFIXES = frozenset(
    "fc cf afc sc ac as sk bk fk if sv vfb vfl tsv tsg ssc ss us cd ud rcd rc krc kv kaa rsc sl cp ca "
    "cr ec se fbc kk bc nk hnk gnk ks bsc bv rb acf cfc lfc ff bsk fsv sg og losc ogc club clube team "
    "teams football futbol futebol fussball calcio soccer basketball basket baseball hockey racing f1 "
    "formula one scuderia grand prix association sports sporting sportif sportiva athletic mens womens "
    "men women s sport de of the in".split()
)
"""Legal forms and sports: around a team's name, not the name itself."""

TEAM_KINDS = {
    "fc": "f", "cf": "f", "afc": "f", "cfc": "f", "lfc": "f", "fbc": "f", "ssc": "f", "acf": "f",
    "as": "a", "ac": "c", "sc": "s", "sk": "k", "bk": "b", "fk": "f", "cd": "d", "ud": "u", "rc": "r",
    "krc": "r", "sv": "v", "ec": "e", "ca": "ca", "se": "se", "cp": "p", "cr": "cr",
}  # fmt: skip
"""Legal forms that can tell two clubs of one town apart, by what they stand for."""

GENERIC_TEAM_WORDS = frozenset(
    "city united town county rovers rangers wanderers athletic albion real sporting inter atletico "
    "deportivo dynamo dinamo lokomotiv spartak olympique olympic olympiacos racing royal union red blue "
    "green white black bull bulls state golden new los las san santa saint st fort north south east "
    "west villa borussia eintracht nacional national international young old boys stars star bay lake "
    "salt central park queens crystal".split()
)
"""Shared by many teams: alone they name none."""

RESERVES = frozenset(
    "b c ii iii u17 u18 u19 u20 u21 u23 under reserves reserve youth academy juvenil castilla women "
    "womens ladies femeni femenino feminine frauen feminino jong primavera atletic amateure junioren "
    "juniors".split()
)
"""Right after a club's name: another team of that club."""

TEAM_CONTEXT = frozenset(
    "nba nfl mlb nhl mls uefa fifa premier league liga serie bundesliga ligue eredivisie championship "
    "formula f1 one grand prix motorsport team racing sport football soccer basketball club amg "
    "petronas honda eastern western conference division saudi pro english spanish german italian french "
    "argentine argentinian brazilian portuguese dutch belgian scottish turkish american mexican russian "
    "ukrainian greek catalan austrian swiss danish swedish norwegian japanese chinese korean".split()
)
"""May stand beside a team's name without making it another team's."""

NICKNAMES = {
    "alex": "alexander alexandra alexei", "al": "albert alan alfred", "andy": "andrew",
    "tony": "anthony antony", "art": "arthur", "ben": "benjamin", "bernie": "bernard",
    "bert": "albert robert herbert", "beth": "elizabeth", "bill": "william", "billy": "william",
    "bob": "robert", "bobby": "robert", "brad": "bradley bradford", "charlie": "charles",
    "chuck": "charles", "chris": "christopher christian christine", "dan": "daniel", "danny": "daniel",
    "dave": "david", "dick": "richard", "don": "donald", "doug": "douglas", "ed": "edward edwin",
    "eddie": "edward", "frank": "francis franklin", "fred": "frederick alfred", "gene": "eugene",
    "gerry": "gerald", "greg": "gregory", "hank": "henry", "harry": "henry harold", "jack": "john",
    "jake": "jacob", "jamie": "james", "jeff": "jeffrey geoffrey", "jerry": "gerald jerome",
    "jim": "james", "jimmy": "james", "joe": "joseph", "joey": "joseph", "johnny": "john",
    "jon": "jonathan", "josh": "joshua", "kate": "katherine catherine",
    "kathy": "katherine catherine kathleen", "ken": "kenneth", "larry": "lawrence laurence",
    "len": "leonard", "liz": "elizabeth", "lou": "louis", "matt": "matthew", "maggie": "margaret",
    "meg": "margaret", "peggy": "margaret", "mick": "michael", "mike": "michael",
    "nate": "nathan nathaniel", "ned": "edward", "nick": "nicholas nicolas", "pat": "patrick patricia",
    "pete": "peter", "phil": "philip phillip", "ray": "raymond", "rich": "richard", "rick": "richard",
    "rob": "robert", "randy": "randall randolph", "russ": "russell", "ron": "ronald",
    "sam": "samuel samantha", "sandy": "alexander", "stan": "stanley", "steve": "stephen steven",
    "sue": "susan suzanne", "ted": "edward theodore", "terry": "terence theresa", "tim": "timothy",
    "tom": "thomas", "tommy": "thomas", "theo": "theodore", "tess": "theresa", "vic": "victor",
    "vince": "vincent", "wes": "wesley", "abe": "abraham", "walt": "walter", "will": "william",
    "zach": "zachary", "pepe": "jose", "paco": "francisco",
}  # fmt: skip
"""Short forms of given names."""

OWNERS = frozenset(
    "house university bank bay gulf cape port church order institute academy school college court "
    "museum battle treaty mount lake airport hospital foundation library prize".split()
)
"""What is named after people: a "House of ..." is nobody."""

COLLECTIVES = OWNERS | frozenset(
    "city republic kingdom state states government ministry union commonwealth council board company "
    "club town village province district arrondissement isle island islands federation principality "
    "duchy emirate".split()
)
"""What stands before "of" in names of things: a "City of ..." is no person called City."""

EXONYMS = {
    "munich": "munchen", "cologne": "koln", "nuremberg": "nurnberg", "vienna": "wien",
    "zurich": "zuerich", "geneva": "geneve", "milan": "milano", "rome": "roma", "turin": "torino",
    "florence": "firenze", "naples": "napoli", "genoa": "genova", "venice": "venezia",
    "seville": "sevilla", "lisbon": "lisboa", "oporto": "porto", "prague": "praha",
    "warsaw": "warszawa", "cracow": "krakow", "moscow": "moskva", "copenhagen": "kobenhavn",
    "gothenburg": "goteborg", "bucharest": "bucuresti", "belgrade": "beograd", "athens": "athina",
    "brussels": "bruxelles brussel", "antwerp": "antwerpen", "bruges": "brugge", "ghent": "gent",
    "lyons": "lyon", "marseilles": "marseille", "kiev": "kyiv", "mecca": "makkah", "peking": "beijing",
    "bombay": "mumbai", "calcutta": "kolkata",
}  # fmt: skip
"""Towns with another name in their own language, as they stand in clubs' names."""

THINGS = OWNERS | frozenset(
    "airport tower street avenue boulevard stadium arena bridge centre center administration government "
    "cabinet era family campaign presidency doctrine plan act award medal memorial park square "
    "dynasty".split()
)
"""Right after a person's name: something called after or belonging to that person."""

LANGUAGES = frozenset("english french german spanish irish welsh polish dutch".split())
