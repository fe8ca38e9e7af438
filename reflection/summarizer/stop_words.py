"""Function words of the languages the console speaks: they carry no news, so they earn a sentence nothing."""

from __future__ import annotations

_ENGLISH = """
    a about above after again against all also am an and any are aren't around as at back be because been before
    being below between both but by can can't cannot could couldn't did didn't do does doesn't doing don don't down
    during each even ever every few for from further get gets getting give go goes going gonna gone got had hadn't
    has hasn't have haven't having he he'd he'll he's her here hers herself him himself his how however i i'd i'll
    i'm i've if in into is isn't it it'd it'll it's its itself just kind know let let's like lot lots made make
    makes many may maybe me might more most much must my myself never no nor not now of off oh ok okay on once one
    only or other our ours ourselves out over own pretty quite really said same say says she she'd she'll she's
    should shouldn't so some something sure still such take than that that'd that's the their theirs them themselves
    then there there's these they they'd they'll they're they've thing things think this those though through to too
    under until up us very want was wasn't way we we'd we'll we're we've well went were weren't what what's when
    when's where where's which while who who's whom why will with won't would wouldn't wow yeah yes yet you you'd
    you'll you're you've your yours yourself
"""
_PORTUGUESE = """
    ao aos aquela aquele aquilo as até com como da das de dela dele deles depois do dos e ela elas ele eles em entre
    era essa esse esta está estava este eu foi foram há isso isto já lá lhe mais mas me mesmo meu minha muito na nas
    nem no nos nossa nosso num numa não nós o os ou para pela pelo por porque qual quando que quem se sem ser seu
    seus só sua suas também te tem tinha tive um uma uns vai você vocês à às é são
"""
_SPANISH = """
    al algo antes aquel aquella así aún con contra cual cuando de del desde donde dos el él ella ellas ellos en
    entre era eran es esa ese eso esta está están este esto fue fueron ha había han hasta hay la las le les lo los
    me mi mis mucho muy más ni no nos nosotros o para pero por porque que quien qué se ser si sí sin sobre son su
    sus también te tengo tiene todo tu tus tú un una uno unos usted y ya yo
"""
_FRENCH = """
    au aux avec c'est ce ces cette dans des du elle elles en est et eux il ils j'ai je la le les leur lui ma mais
    mes moi mon ne nos notre nous on ont ou par pas pour qu que qui sa ses son sont sur ta te tes toi tu un une vos
    votre vous
"""
_GERMAN = """
    aber als am an auch auf aus bei bin bis bist da das dass dem den der des die doch du ein eine einem einen einer
    er es für haben hat hatte ich ihr im in ist ja kann mein mich mir mit nach nicht noch nur oder schon sehr sich
    sie sind so und uns vom von vor war was wenn wer wie wir wird zu zum zur über
"""

ENGLISH, PORTUGUESE, SPANISH = (frozenset(words.split()) for words in (_ENGLISH, _PORTUGUESE, _SPANISH))
STOP_WORDS = ENGLISH | PORTUGUESE | SPANISH | frozenset(f"{_FRENCH} {_GERMAN}".split())
