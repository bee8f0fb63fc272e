// The steps of a client, with what openapi-generator makes for Go. Prints a line for each: its name and what was read.
package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"os"
	"strconv"
	"strings"

	extremum "check/client"
)

var bounds = [][]float64{{-5, 5}, {-5, 5}}

func client() *extremum.APIClient {
	configuration := extremum.NewConfiguration()
	configuration.Servers = extremum.ServerConfigurations{{URL: os.Getenv("BASE")}}
	return extremum.NewAPIClient(configuration)
}

func with(key string) context.Context {
	return context.WithValue(context.Background(), extremum.ContextAccessToken, key)
}

func bits(numbers ...float64) string {
	texts := make([]string, len(numbers))
	for i, number := range numbers {
		texts[i] = fmt.Sprintf("%016x", math.Float64bits(number))
	}
	return strings.Join(texts, " ")
}

func step(name string, work func() (string, error)) {
	text, err := work()
	if err != nil {
		text = "failed: " + strings.Join(strings.Fields(err.Error()), " ")
	}
	fmt.Println(name, text)
}

func refusal(answer *http.Response, err error) (string, error) {
	var refused *extremum.GenericOpenAPIError
	if !errors.As(err, &refused) {
		return "accepted", err
	}
	told, ok := refused.Model().(extremum.ErrorResponse)
	if !ok {
		return "", fmt.Errorf("the error has no model: %w", err)
	}
	field := "-"
	if told.Error.Field != nil {
		field = *told.Error.Field
	}
	return fmt.Sprintf("%d %s %s", answer.StatusCode, told.Error.Code, field), nil
}

func main() {
	service, known := client(), with(os.Getenv("EXTREMUM_API_KEY"))
	seed, err := strconv.ParseInt(os.Getenv("SEED"), 10, 64)
	if err != nil {
		panic(err)
	}
	var function, run, study string
	var candidates []extremum.StudyCandidatesCandidatesInner

	step("upload", func() (string, error) {
		request := extremum.NewUploadFunctionRequest("valley", os.Getenv("CODE"), "python")
		uploaded, _, err := service.FunctionsAPI.UploadFunction(known).UploadFunctionRequest(*request).Execute()
		if err != nil {
			return "", err
		}
		function = uploaded.Id
		return function, nil
	})
	step("optimize", func() (string, error) {
		request := extremum.NewOptimizeRequest()
		request.SetObjectiveFunctionId(function)
		request.SetBounds(bounds)
		request.SetMaxEvaluations(300)
		request.SetSeed(seed)
		made, _, err := service.OptimizationAPI.Optimize(known).OptimizeRequest(*request).Prefer("wait=60").Execute()
		if err != nil {
			return "", err
		}
		run = made.Id
		return fmt.Sprintf("%s %d", run, made.Seed), nil
	})
	step("read", func() (string, error) {
		found, _, err := service.OptimizationAPI.GetOptimization(known, run).Execute()
		if err != nil {
			return "", err
		}
		if !found.BestFitness.IsSet() || found.BestFitness.Get() == nil {
			return "", errors.New("no solution")
		}
		return bits(append([]float64{*found.BestFitness.Get()}, found.BestSolution...)...), nil
	})
	step("list", func() (string, error) {
		page, _, err := service.OptimizationAPI.ListOptimizations(known).Limit(1).Execute()
		if err != nil {
			return "", err
		}
		return fmt.Sprintf("%d %s", page.Total, page.Data[0].Id), nil
	})
	step("study", func() (string, error) {
		request := extremum.NewCreateStudyRequest(bounds)
		request.SetMaxEvaluations(50)
		request.SetSeed(seed)
		made, _, err := service.AdvancedAPI.CreateStudy(known).CreateStudyRequest(*request).Execute()
		if err != nil {
			return "", err
		}
		study = made.Id
		return fmt.Sprintf("%s %d", study, made.Seed), nil
	})
	step("ask", func() (string, error) {
		request := extremum.NewAskStudyRequest()
		request.SetCount(3)
		asked, _, err := service.AdvancedAPI.AskStudy(known, study).AskStudyRequest(*request).Execute()
		if err != nil {
			return "", err
		}
		candidates = asked.Candidates
		return strconv.Itoa(len(candidates)), nil
	})
	step("tell", func() (string, error) {
		var results []extremum.TellStudyRequestResultsInner
		for _, one := range candidates {
			sum := 0.0
			for _, value := range one.Solution {
				sum += value * value
			}
			values := extremum.NewValuesOfCandidate(one.Id, []float64{sum})
			results = append(results, extremum.ValuesOfCandidateAsTellStudyRequestResultsInner(values))
		}
		request := extremum.NewTellStudyRequest(results)
		told, _, err := service.AdvancedAPI.TellStudy(known, study).TellStudyRequest(*request).Execute()
		if err != nil {
			return "", err
		}
		return strconv.FormatInt(told.Accepted, 10), nil
	})
	step("best", func() (string, error) {
		best, _, err := service.AdvancedAPI.GetStudyBest(known, study).Execute()
		if err != nil {
			return "", err
		}
		if best.BestFitness.Get() == nil {
			return "", errors.New("no solution")
		}
		return bits(append([]float64{*best.BestFitness.Get()}, best.BestSolution...)...), nil
	})
	step("webhook", func() (string, error) {
		request := extremum.NewCreateWebhookRequest("http://example.com/hook", []string{"*"})
		_, answer, err := service.WebhooksAPI.CreateWebhook(known).CreateWebhookRequest(*request).Execute()
		return refusal(answer, err)
	})
	step("key", func() (string, error) {
		_, answer, err := service.OptimizationAPI.ListOptimizations(with(os.Getenv("WRONG_KEY"))).Execute()
		return refusal(answer, err)
	})
}
