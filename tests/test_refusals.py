"""Saying that one doesn't know or that there are no data, in ten languages."""

import pytest

from freshness.grading.choices import judge_choice
from freshness.grading.quantities import judge_quantity
from freshness.grading.refusals import is_refusal
from freshness.verdicts import Verdict

REFUSALS = {
    "English": ("No data.", "It's unclear whether it was.", "Nobody knows.", "Nothing is known about that."),
    "German": (
        "Keine Daten verfügbar",
        "Die Daten sind leider nicht verfügbar.",
        "Daten nicht verfügbar",
        "Dazu liegen mir keine Informationen vor.",
        "Das weiß ich nicht.",
        "Das kann ich nicht sagen.",
        "Unbekannt.",
        "Nicht verfügbar",
    ),
    "Spanish": (
        "No hay datos disponibles",
        "Los datos no están disponibles.",
        "Datos no disponibles",
        "No tengo información suficiente.",
        "No lo sé.",
        "Sin datos",
        "No disponible",
    ),
    "French": (
        "Les données ne sont pas disponibles.",
        "Pas de données.",
        "Aucune donnée disponible",
        "Je n'ai pas d'informations à ce sujet.",
        "Je n’ai pas assez d’informations.",
        "Je ne sais pas.",
        "Je ne peux pas répondre.",
        "Données non disponibles",
        "C'est inconnu.",
    ),
    "Italian": (
        "I dati non sono disponibili.",
        "Nessun dato disponibile",
        "Non ci sono dati.",
        "Non lo so.",
        "Non disponibile",
        "Sconosciuto",
    ),
    "Portuguese": (
        "Os dados não estão disponíveis.",
        "Não há dados.",
        "Sem dados",
        "Não sei.",
        "Não tenho informações sobre isso.",
        "Indisponível",
    ),
    "Russian": (
        "Данные недоступны.",
        "Нет данных",
        "Данные отсутствуют.",
        "Информация недоступна",
        "Не знаю.",
        "Неизвестно",
    ),
    "Chinese": (
        "数据不可用",
        "没有数据",
        "没有可用的数据",
        "暂无数据",
        "無資料",
        "我不知道",
        "无法确定",
        "不详",
    ),
    "Japanese": (
        "データがありません。",
        "データは利用できません",
        "データがない",
        "情報はありません",
        "わかりません",
        "不明",
    ),
    "Korean": (
        "데이터가 없습니다",
        "데이터를 사용할 수 없습니다",
        "정보가 없습니다.",
        "모르겠습니다",
        "알 수 없습니다",
    ),
}
LIFE = ("76.91 years", "75.03 years", "78.64 years", "81.22 years")
SAID = [said for texts in REFUSALS.values() for said in texts]


@pytest.mark.parametrize("said", SAID)
def test_not_knowing_is_understood_in_every_language_alike(said):
    assert judge_choice(said, LIFE, "(a)", unit="years").verdict is Verdict.NOT_AVAILABLE
    assert judge_choice(said, ("Yes", "No"), "(b)").verdict is Verdict.NOT_AVAILABLE
    assert judge_quantity(said, ((2020, 76.91),), 2020, unit="years").verdict is Verdict.REFUSED


@pytest.mark.parametrize(
    "said",
    [
        "Non, pas de données.",
        "No, no hay datos.",
        "Nein, keine Daten.",
        "Nein, das weiß ich nicht",
        "Não, não há dados",
        "Нет, нет данных",
        "Non, non ci sono dati",
        "否，没有数据",
        "いいえ、データがありません",
        "No, no data",
        "No; there is no data available.",
        "No - data not available",
        "No, unknown",
        "No, I have no data",
    ],
)
def test_a_no_that_says_that_there_are_no_data_is_no_answer(said):
    assert judge_choice(said, ("Yes", "No"), "(b)").verdict is Verdict.NOT_AVAILABLE


@pytest.mark.parametrize(
    "said",
    [
        "Non.",
        "Non, ce n'était pas plus élevé.",
        "Non, les données montrent le contraire.",
        "No, los datos no muestran eso.",
        "No hay diferencia.",
        "Nein, laut den Daten war es nicht höher.",
        "否，数据显示没有增长",
        "いいえ、データによると減少しました",
        "No, the data do not show that.",
        "No, there was no increase in the data.",
        "No, although I can't verify that.",
        "I'm not sure, but no.",
        "I can't verify that, but no.",
    ],
)
def test_a_no_with_its_reason_or_a_hedge_is_no(said):
    question = "Was France's life expectancy higher in 2011 than in 2012?"
    assert judge_choice(said, ("Yes", "No"), "(b)", question=question).verdict is Verdict.CORRECT


@pytest.mark.parametrize(
    "said",
    [
        "Les données montrent une hausse.",
        "Die Zahlen stiegen",
        "No hay muertes",
        "Los datos son claros",
        "データがあります",
        "数据显示增长",
        "데이터에 따르면 증가했습니다",
        "Данные показывают рост",
        "The data show an increase.",
    ],
)
def test_what_speaks_of_data_without_denying_them_is_no_refusal(said):
    assert not is_refusal(said)
